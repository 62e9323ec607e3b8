package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// scale puts values on a logarithmic axis.
type scale struct {
	least, greatest float64
	from, to        float64 // in pixels
	base            float64
	format          func(float64) string
}

// newScale spans the values. A roomy scale ends at ticks, or leaves some room at
// least, so that no line runs along the frame.
func newScale(axis Axis, values []float64, from, to float64, roomy bool) scale {
	s := scale{least: slices.Min(values), greatest: slices.Max(values), from: from, to: to, base: axis.Base, format: axis.Format}
	if s.base == 0 {
		s.base = 10
	}
	if s.format == nil {
		s.format = Count
	}
	if roomy {
		s.least, s.greatest = s.least/1.25, s.greatest*1.25
		for s.greatest/s.least < 10 { // a line that hardly changes must look so
			s.least, s.greatest = s.least/1.1, s.greatest*1.1
		}
	}
	if s.greatest <= s.least {
		s.greatest = s.least * s.base
	}
	return s
}

func (s *scale) at(value float64) float64 {
	return s.from + (s.to-s.from)*math.Log(value/s.least)/math.Log(s.greatest/s.least)
}

// ticks are the powers of the base, with 2 and 5 times them where the axis is
// short, and only some of them where it is long.
func (s *scale) ticks() []float64 {
	const many, exact = 8, 1e-9
	first := math.Ceil(math.Log(s.least)/math.Log(s.base) - exact)
	last := math.Floor(math.Log(s.greatest)/math.Log(s.base) + exact)
	step := 1.0
	for (last-first)/step >= many {
		step++
	}
	var ticks []float64
	for exponent := math.Ceil(first/step) * step; exponent <= last; exponent += step {
		ticks = append(ticks, math.Pow(s.base, exponent))
	}
	if len(ticks) > 2 || s.base != 10 {
		return ticks
	}
	ticks = nil
	for exponent := first - 1; exponent <= last; exponent++ {
		for _, times := range []float64{1, 2, 5} {
			if tick := times * math.Pow(10, exponent); tick >= s.least && tick <= s.greatest {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

// Count writes a number with k, M or G.
func Count(value float64) string { return scaled(value, 1000, "", "k", "M", "G") }

// Bytes writes a number of bytes with decimal units.
func Bytes(value float64) string { return scaled(value, 1000, " B", " kB", " MB", " GB") }

// BinaryBytes writes a number of bytes with binary units.
func BinaryBytes(value float64) string { return scaled(value, 1024, " B", " KiB", " MiB", " GiB") }

// Microseconds writes a time that is given in microseconds.
func Microseconds(value float64) string {
	if value < 1 {
		return number(value*1000) + " ns"
	}
	return scaled(value, 1000, " µs", " ms", " s")
}

func scaled(value, factor float64, units ...string) string {
	const almost = 1 - 1e-9
	unit := 0
	for value >= factor*almost && unit < len(units)-1 {
		value /= factor
		unit++
	}
	return number(value) + units[unit]
}

// number writes three digits at most.
func number(value float64) string {
	text := strconv.FormatFloat(value, 'g', 3, 64)
	if strings.ContainsRune(text, 'e') {
		return fmt.Sprintf("%.0f", value)
	}
	return text
}
