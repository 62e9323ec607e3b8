package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func drawn(t *testing.T, f *Figure) string {
	var text strings.Builder
	n, err := f.WriteTo(&text)
	require.NoError(t, err)
	require.EqualValues(t, text.Len(), n)
	decoder := xml.NewDecoder(strings.NewReader(text.String()))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		require.NoError(t, err, "well-formed")
	}
}

func TestFigureIsWellFormedAndComplete(t *testing.T) {
	line := Line{Name: `a < "b" & c`, Hue: 1, Points: []Point{{1000, 3}, {1, 2}, {10, 2.5}}}
	text := drawn(t, &Figure{
		Title: "Growth & <decay>", Note: "both", Legend: []Line{line, {Name: "floor", Dashed: true}},
		Panels: []Panel{
			{Title: "one", X: Axis{Label: "callers"}, Y: Axis{Label: "time", Format: Microseconds}, Lines: []Line{line}, Guide: Guide{Point{1, 2}, 1}},
			{Title: "two"}, {Title: "three", Lines: []Line{{Points: []Point{{5, 5}}}}},
		},
	})
	for _, part := range []string{"Growth &amp; &lt;decay&gt;", ">callers<", ">time<", ">not measured<", `class="guide"`, "prefers-color-scheme:dark", `class="line dashed hue0"`, "<title>a &lt; &#34;b&#34; &amp; c: 1, 2 µs</title>"} {
		require.Contains(t, text, part)
	}
	require.Equal(t, 1, strings.Count(text, `class="guide"`))
	require.NotContains(t, text, "NaN")
	require.NotContains(t, text, "Inf")
}

func TestScaleIsLogarithmic(t *testing.T) {
	s := newScale(Axis{}, []float64{1, 100}, 0, 200, false)
	require.InDelta(t, 0, s.at(1), 1e-9)
	require.InDelta(t, 100, s.at(10), 1e-9)
	require.InDelta(t, 200, s.at(100), 1e-9)
	require.InDeltaSlice(t, []float64{1, 10, 100}, s.ticks(), 1e-9)

	sizes := newScale(Axis{Base: 16}, []float64{1, 1 << 24}, 0, 1, false)
	require.InDeltaSlice(t, []float64{1, 16, 256, 4096, 65536, 1 << 20, 1 << 24}, sizes.ticks(), 1e-3)

	short := newScale(Axis{}, []float64{3, 3}, 0, 1, true)
	require.GreaterOrEqual(t, short.greatest/short.least, 10.0, "what hardly changes looks so")
	require.GreaterOrEqual(t, len(short.ticks()), 2)
	long := newScale(Axis{}, []float64{1, 1e12}, 0, 1, false)
	require.LessOrEqual(t, len(long.ticks()), 8)
	one := newScale(Axis{}, []float64{7, 7}, 0, 1, false)
	require.False(t, math.IsNaN(one.at(7)))
}

func TestUnits(t *testing.T) {
	for want, got := range map[string]string{
		"1": Count(1), "1k": Count(1000), "50k": Count(50_000), "2M": Count(2e6), "0.5": Count(0.5), "999": Count(999),
		"1 KiB": BinaryBytes(1024), "64 MiB": BinaryBytes(64 << 20), "256 B": BinaryBytes(256),
		"1 kB": Bytes(1000), "1.5 GB": Bytes(1.5e9),
		"200 ns": Microseconds(0.2), "1 µs": Microseconds(1), "10 ms": Microseconds(10_000), "5 s": Microseconds(5e6),
	} {
		require.Equal(t, want, got)
	}
	require.Equal(t, "1k", Count(math.Pow(10, 3)*(1-1e-12)), "what a logarithm made of 1,000")
}
