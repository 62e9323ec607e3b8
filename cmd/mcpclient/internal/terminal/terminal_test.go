package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// screen is a terminal of a width.
type screen struct {
	bytes.Buffer
	columns int
}

func (s *screen) Columns() int { return s.columns }

func environment(variables ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, variable := range variables {
			if key, value, _ := strings.Cut(variable, "="); key == name {
				return value, true
			}
		}
		return "", false
	}
}

func TestWhenColoursAreUsed(t *testing.T) {
	for name, test := range map[string]struct {
		color     Color
		terminal  bool
		variables []string
		want      bool
	}{
		"a terminal":                       {ColorAuto, true, nil, true},
		"a pipe":                           {ColorAuto, false, nil, false},
		"a dumb terminal":                  {ColorAuto, true, []string{"TERM=dumb"}, false},
		"NO_COLOR":                         {ColorAuto, true, []string{"NO_COLOR=1"}, false},
		"NO_COLOR of any value":            {ColorAuto, true, []string{"NO_COLOR=0"}, false},
		"an empty NO_COLOR counts as none": {ColorAuto, true, []string{"NO_COLOR="}, true},
		"NO_COLOR goes before force":       {ColorAuto, true, []string{"NO_COLOR=1", "FORCE_COLOR=1"}, false},
		"forced in a pipe":                 {ColorAuto, false, []string{"FORCE_COLOR=1"}, true},
		"forced by the other name":         {ColorAuto, false, []string{"CLICOLOR_FORCE=1"}, true},
		"a force of 0 is none":             {ColorAuto, false, []string{"CLICOLOR_FORCE=0"}, false},
		"the flag goes before NO_COLOR":    {ColorAlways, false, []string{"NO_COLOR=1"}, true},
		"the flag goes before force":       {ColorNever, true, []string{"FORCE_COLOR=1"}, false},
	} {
		var out *Output
		if test.terminal {
			out = NewOutput(&screen{columns: 80}, test.color, environment(test.variables...))
		} else {
			out = NewOutput(&bytes.Buffer{}, test.color, environment(test.variables...))
		}
		assert.Equal(t, test.want, out.HasColor(), name)
		assert.Equal(t, test.want, strings.Contains(out.Paint(Red, "x"), "\x1b[31m"), name)
	}
	var color Color
	require.ErrorContains(t, color.Set("sometimes"), "auto, always or never")
	require.NoError(t, color.Set("never"))
	assert.Equal(t, "never", color.String())
}

func TestTablesInAPipeAreFieldsBetweenTabs(t *testing.T) {
	var out bytes.Buffer
	table := Table{[]string{"A", "B"}, [][]Cell{{{Text: "x"}, {Text: "one\ntwo\tthree\x1b[2J", Style: Red}}, {{}, {Text: "y"}}}}
	require.NoError(t, table.Write(NewOutput(&out, ColorAuto, environment())))
	assert.Equal(t, "x\tone\\ntwo\\tthree\\x1b[2J\n\ty\n", out.String())
}

func TestTablesOnATerminalFitIt(t *testing.T) {
	table := Table{[]string{"NAME", "ARGUMENTS", "DESCRIPTION"}, [][]Cell{
		{{Text: "a-tool-with-a-long-name"}, {Text: "alpha beta gamma delta"}, {Text: "It does\x1b[31m many things, one after the other.\nAnd more."}},
		{{Text: "世界"}, {}, {Text: "wide"}},
	}}
	write := func(columns int) string {
		out := &screen{columns: columns}
		require.NoError(t, table.Write(NewOutput(out, ColorNever, environment())))
		return out.String()
	}
	assert.Equal(t, strings.Join([]string{
		"NAME                     ARGUMENTS               DESCRIPTION",
		`a-tool-with-a-long-name  alpha beta gamma delta  It does\x1b[31m many things, one after the other. ...`,
		"世界                                             wide", "",
	}, "\n"), write(200))
	assert.Equal(t, strings.Join([]string{
		"NAME                     ARGUMENTS         DESCRIPTION",
		"a-tool-with-a-long-name  alpha beta gamm…  It does\\x1b[31…",
		"世界                                       wide", "",
	}, "\n"), write(58))
	for line := range strings.Lines(write(58)) {
		assert.LessOrEqual(t, Width(strings.TrimRight(line, "\n")), 58)
	}
	assert.Contains(t, write(10), "a-tool-with-a-long-name  alpha beta…   It does\\x1b…", "there is a least width")

	out := &screen{columns: 80}
	require.NoError(t, Table{[]string{"A"}, [][]Cell{{{Text: "ok", Style: Green}}}}.Write(NewOutput(out, ColorAlways, environment())))
	assert.Equal(t, "\x1b[1mA\x1b[0m\n\x1b[32mok\x1b[0m\n", out.String())
}

func TestEscapingForJSONKeepsValues(t *testing.T) {
	for _, text := range []string{"plain", "a\x1bb", "\u202e", "\U000e0001 tag", "é 世界 😀", "tab\tline\n"} {
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		escaped := EscapeJSON(string(encoded))
		var back string
		require.NoError(t, json.Unmarshal([]byte(escaped), &back))
		assert.Equal(t, text, back)
		for _, r := range escaped {
			assert.False(t, IsUnprintable(r), "%q", escaped)
		}
	}
}

func TestLinesAreOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"one": "one", " one \n": "one", "one\ntwo": "one ...", "one\r\ntwo": "one ...", "": "", "a\tb": `a\tb`,
	} {
		assert.Equal(t, want, Line(text, 100))
	}
	assert.Len(t, Line(string(make([]byte, 500)), 100), 100+len("..."))
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"ab cd", 4, "ab…"}, {"世界世", 4, "世…"}, {"é́x", 2, "é́x"}, {"abc", 0, ""}, {"abc", -4, ""}, {"", 0, ""},
	} {
		assert.Equal(t, test.want, Fit(test.text, test.columns), test.text)
	}
}

// clock is a time that only the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func TestBarsOnATerminal(t *testing.T) {
	out, at := &screen{columns: 60}, &clock{}
	bars := NewBars(NewOutput(out, ColorNever, environment()), false, false, at.now)
	written := func() string {
		defer out.Reset()
		return out.String()
	}
	one := bars.Add("slow", false)
	assert.Empty(t, written(), "nothing is shown before there is something to show")
	one.Report(Progress{1, 4, "begun\x1b[2J"})
	assert.Equal(t, "slow [======>                 ]  25% begun\\x1b[2J", written())
	one.Report(Progress{2, 4, ""})
	assert.Empty(t, written(), "not drawn too often")
	at.pass(time.Second)
	one.Report(Progress{3, 4, strings.Repeat("long ", 20)})
	drawn := written()
	assert.True(t, strings.HasPrefix(drawn, "\r\x1b[2Kslow [==================>     ]  75% long long"), drawn)
	assert.LessOrEqual(t, Width(strings.TrimPrefix(drawn, "\r\x1b[2K")), 59, "the line does not wrap")

	two := bars.Add("other", true)
	assert.Contains(t, written(), "\nother ...")
	two.Report(Progress{7, 0, "items"})
	assert.True(t, strings.HasSuffix(written(), "\nother 7 items"))
	bars.Above("a line")
	assert.True(t, strings.HasPrefix(written(), "\r\x1b[2K\x1b[1A\x1b[2Ka line\nslow ["), "both are taken away, and drawn again below")
	resume := bars.Pause()
	assert.Equal(t, "\r\x1b[2K\x1b[1A\x1b[2K", written())
	at.pass(time.Second)
	one.Report(Progress{4, 4, ""})
	assert.Empty(t, written())
	resume()
	assert.True(t, strings.HasPrefix(written(), "slow [========================] 100%\nother 7"))
	one.Done()
	assert.Equal(t, "\r\x1b[2K\x1b[1A\x1b[2Kother 7 items", written())
	two.Done()
	assert.Equal(t, "\r\x1b[2K", written(), "in the end they are gone")
}

func TestManyBarsAreNotAllDrawn(t *testing.T) {
	out, at := &screen{columns: 60}, &clock{}
	bars := NewBars(NewOutput(out, ColorNever, environment()), false, false, at.now)
	for range 13 {
		bars.Add("x", true)
	}
	assert.True(t, strings.HasSuffix(out.String(), "x ...\n... and 3 more"), out.String())
}

func TestBarsInAPipeAreLines(t *testing.T) {
	var out bytes.Buffer
	at := &clock{}
	bars := NewBars(NewOutput(&out, ColorAuto, environment()), false, false, at.now)
	bar := bars.Add("slow", false)
	bar.Report(Progress{1, 4, "soon"})
	assert.Empty(t, out.String(), "what is quick is not worth a line")
	at.pass(time.Second)
	bar.Report(Progress{2, 4, "two\nlines"})
	bar.Report(Progress{3, 4, ""})
	at.pass(time.Second)
	bar.Report(Progress{4, 0, ""})
	bar.Done()
	assert.Equal(t, "slow: 2 of 4: two\\nlines\nslow: 4\n", out.String())

	out.Reset()
	all := NewBars(NewOutput(&out, ColorAuto, environment()), true, false, at.now).Add("all", false)
	all.Report(Progress{1, 2, ""})
	all.Report(Progress{2, 2, ""})
	assert.Equal(t, "all: 1 of 2\nall: 2 of 2\n", out.String())

	out.Reset()
	NewBars(NewOutput(&out, ColorAuto, environment()), true, true, at.now).Add("none", true).Report(Progress{1, 2, ""})
	assert.Empty(t, out.String())
}

func TestShareIsBounded(t *testing.T) {
	for _, test := range []struct{ done, total, want float64 }{{5, 4, 1}, {-1, 4, 0}, {1, 4, 0.25}} {
		share, known := Progress{Done: test.done, Total: test.total}.share()
		assert.True(t, known)
		assert.InDelta(t, test.want, share, 1e-9)
	}
	_, known := Progress{Done: 1, Total: -1}.share()
	assert.False(t, known)
}
