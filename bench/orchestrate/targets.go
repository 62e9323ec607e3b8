package main

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
)

//go:embed targets.yaml
var targetsFile []byte

// room is what noise may take from a ratio of times or rates. Allocations and
// bytes allocated have none: they do not depend on the machine.
const room = 1.10

// target is a goal: what one metric shall be in some cells. A goal that is 0 or
// left out is none.
type target struct {
	ID      string   `yaml:"id"`
	Work    string   `yaml:"work"`
	Measure string   `yaml:"measure"`
	Metric  string   `yaml:"metric"`
	Cells   []string `yaml:"cells"`

	Decimals int  `yaml:"decimals"` // with which the metric is shown and judged
	Rate     bool `yaml:"rate"`     // more is better
	Exact    bool `yaml:"exact"`    // it counts allocations, connections or bytes: no room

	Own   *float64 `yaml:"own"`   // the value itself
	Floor float64  `yaml:"floor"` // the ratio to floor
	GoSDK float64  `yaml:"gosdk"` // how many times better than the peer
	MCPGo float64  `yaml:"mcpgo"`
}

// Columns of the table of targets, and what reasons are keyed by.
const (
	againstOwn   = "own"
	againstFloor = floor
)

func targetColumns() []string { return []string{againstOwn, againstFloor, goSDK, mcpGo} }

func readTargets(text []byte) ([]target, error) {
	var read struct {
		Targets []target `yaml:"targets"`
	}
	if err := decodeStrictly(text, &read); err != nil {
		return nil, fmt.Errorf("targets.yaml: %w", err)
	}
	return read.Targets, nil
}

// outcome is how a target came out in one cell, against one of the columns.
type outcome struct {
	goal     string
	measured string
	verdict  verdict
}

type verdict int

const (
	notMeasured verdict = iota
	reached
	notReached
)

func (v verdict) String() string { return [...]string{"not measured", "reached", "**not reached**"}[v] }

// judge compares what was measured in a cell with the goal of a column. There is
// no outcome where there is no goal.
func (r *report) judge(t *target, cell, against string) (outcome, bool) {
	switch goal := t.goal(against); {
	case against == againstOwn && t.Own != nil:
		return r.judgeOwn(t, cell), true
	case against == againstOwn || goal == 0:
		return outcome{}, false
	case against == againstFloor:
		return r.judgeFloor(t, cell), true
	default:
		return r.judgePeer(t, cell, against, goal), true
	}
}

func (t *target) goal(against string) float64 {
	return map[string]float64{againstFloor: t.Floor, goSDK: t.GoSDK, mcpGo: t.MCPGo}[against]
}

func (r *report) judgeOwn(t *target, cell string) outcome {
	o := outcome{goal: atMost(t.Rate) + format(*t.Own, t.goalDecimals())}
	if *t.Own == 0 {
		o.goal = "0"
	}
	value, found := r.results.value(cell, product, t.Metric)
	if !found {
		return r.withoutValue(o, cell)
	}
	o.measured = format(value.median, t.Decimals)
	shift := math.Pow(10, float64(t.Decimals))
	rounded := math.Round(value.median*shift) / shift
	o.verdict = decide(rounded <= *t.Own && !t.Rate || rounded >= *t.Own && t.Rate)
	return o
}

// goalDecimals are as many as the goal has.
func (t *target) goalDecimals() int {
	if *t.Own == math.Trunc(*t.Own) {
		return 0
	}
	return t.Decimals
}

func (r *report) judgeFloor(t *target, cell string) outcome {
	o := outcome{goal: atMost(t.Rate) + short(t.Floor) + "×"}
	ratio, found := r.results.ratio(cell, product, floor, t.Metric)
	if !found {
		return r.withoutValue(o, cell)
	}
	o.measured = fmt.Sprintf("%.2f×", ratio.median)
	o.verdict = decide(ratio.median <= t.Floor*t.room() && !t.Rate || ratio.median >= t.Floor/t.room() && t.Rate)
	return o
}

// judgePeer says how many times better the product is. A peer that fails in the
// cell is beaten by a product that does not.
func (r *report) judgePeer(t *target, cell, peer string, goal float64) outcome {
	o := outcome{goal: short(goal) + " times better"}
	for _, name := range []string{peer, peer + atDefault} {
		ratio, found := r.results.ratio(cell, product, name, t.Metric)
		if !found {
			if failed, all, _ := r.results.failures(cell, name); all > 0 && failed == all && r.measured(cell, t.Metric) {
				return outcome{goal: "works", measured: "the peer fails", verdict: reached}
			}
			continue
		}
		times := ratio.median
		if !t.Rate {
			times = 1 / ratio.median
		}
		o.measured = fmt.Sprintf("%.3g times", times)
		if math.IsInf(times, 1) {
			o.measured = "none against some"
		}
		o.verdict = decide(times >= goal/t.room())
		return o
	}
	return r.withoutValue(o, cell)
}

func (r *report) measured(cell, metric string) bool {
	_, found := r.results.value(cell, product, metric)
	return found
}

// withoutValue tells a product that fails from one that was not measured.
func (r *report) withoutValue(o outcome, cell string) outcome {
	o.measured = "–"
	if failed, _, _ := r.results.failures(cell, product); failed > 0 {
		o.measured, o.verdict = "it fails", notReached
	}
	return o
}

func (t *target) room() float64 {
	if t.Exact {
		return 1
	}
	return room
}

func decide(ok bool) verdict {
	if ok {
		return reached
	}
	return notReached
}

func atMost(rate bool) string {
	if rate {
		return "≥ "
	}
	return "≤ "
}

// short writes a goal as it was set.
func short(goal float64) string { return strconv.FormatFloat(goal, 'f', -1, 64) }
