package main

import (
	"maps"
	"slices"
)

// summary is the median of some values and their spread.
type summary struct {
	count                  int
	median, least, largest float64
}

func summarize(values []float64) (summary, bool) {
	if len(values) == 0 {
		return summary{}, false
	}
	slices.Sort(values)
	n := len(values)
	return summary{n, (values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}, true
}

// results answers questions about records.
type results []record

// rounds returns one value per round: of a quiet measurement if there is one.
func (r results) rounds(cell, client, metric string) map[int]float64 {
	values, quiet := map[int]float64{}, map[int]bool{}
	for _, rec := range r {
		value, found := rec.Metrics[metric]
		if rec.Cell != cell || rec.Client != client || rec.Error != "" || !found || quiet[rec.Round] && rec.Noisy {
			continue
		}
		values[rec.Round], quiet[rec.Round] = value, !rec.Noisy
	}
	return values
}

// value summarizes a metric over the rounds.
func (r results) value(cell, client, metric string) (summary, bool) {
	return summarize(slices.Collect(maps.Values(r.rounds(cell, client, metric))))
}

// ratio summarizes the metric of one client over that of another within a
// round.
func (r results) ratio(cell, client, base, metric string) (summary, bool) {
	mine, theirs := r.rounds(cell, client, metric), r.rounds(cell, base, metric)
	var ratios []float64
	for round, value := range mine {
		if other, found := theirs[round]; found && other > 0 {
			ratios = append(ratios, value/other)
		}
	}
	return summarize(ratios)
}

// failures returns how many of a client's measurements in a cell failed, of how
// many, and the last reason.
func (r results) failures(cell, client string) (failed, all int, reason string) {
	for _, rec := range r {
		if rec.Cell != cell || rec.Client != client {
			continue
		}
		all++
		if rec.Error != "" {
			failed++
			reason = rec.Error
		}
	}
	return failed, all, reason
}

// disturbed counts the measurements, and those that were noisy.
func (r results) disturbed() (noisy, all int) {
	for _, rec := range r {
		if rec.Noisy {
			noisy++
		}
	}
	return noisy, len(r)
}
