package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

//go:embed reasons.yaml
var reasonsFile []byte

// noReason is what the page says where reasons.yaml is silent.
const noReason = "**no reason given**"

// reasons are why lines bend and why targets are not reached: what no
// measurement can say. They are kept in reasons.yaml.
type reasons struct {
	Bends   []bendReason   `yaml:"bends"`
	Targets []targetReason `yaml:"targets"`
}

// bendReason explains the bends of a plot. What is left out fits everything.
type bendReason struct {
	Plot    string   `yaml:"plot"`    // key of a growth
	Metrics []string `yaml:"metrics"` // of its curves
	Lines   []string `yaml:"lines"`   // its transports
	From    int      `yaml:"from"`    // the bend's region lies within
	To      int      `yaml:"to"`
	Reason  string   `yaml:"reason"`
}

// targetReason explains why targets are not reached.
type targetReason struct {
	Targets   []string `yaml:"targets"` // ids in targets.yaml
	Against   []string `yaml:"against"` // own, floor, gosdk, mcpgo; none is all
	LimitedBy string   `yaml:"limited_by"`
	Tried     string   `yaml:"tried"`
}

func readReasons(text []byte) (*reasons, error) {
	var r reasons
	if err := decodeStrictly(text, &r); err != nil {
		return nil, fmt.Errorf("reasons.yaml: %w", err)
	}
	return &r, nil
}

// decodeStrictly refuses keys that into does not have.
func decodeStrictly(text []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}

// bend returns the first reason for a bend.
func (r *reasons) bend(plot, metric, line string, at region) string {
	for _, known := range r.Bends {
		if known.Plot == plot && fits(known.Metrics, metric) && fits(known.Lines, line) &&
			at.from >= known.From && (known.To == 0 || at.to <= known.To) {
			return known.Reason
		}
	}
	return noReason
}

// target returns the first reason why a target is not reached.
func (r *reasons) target(id, against string) string {
	for _, known := range r.Targets {
		if !fits(known.Targets, id) || !fits(known.Against, against) {
			continue
		}
		if known.Tried == "" {
			return known.LimitedBy
		}
		return known.LimitedBy + " Tried: " + known.Tried
	}
	return noReason
}

// fits reports whether a name is in a list; an empty one has all.
func fits(names []string, name string) bool { return len(names) == 0 || slices.Contains(names, name) }
