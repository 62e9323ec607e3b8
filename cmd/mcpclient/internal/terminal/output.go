package terminal

import (
	"errors"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// defaultColumns is the width of a terminal that does not tell its own.
const defaultColumns = 80

// Color says when colours are used: ColorAuto, ColorAlways or ColorNever. It is
// the value of a flag.
type Color string

// The values of Color.
const (
	ColorAuto   Color = "auto"
	ColorAlways Color = "always"
	ColorNever  Color = "never"
)

// Set reads the value.
func (c *Color) Set(text string) error {
	switch value := Color(text); value {
	case ColorAuto, ColorAlways, ColorNever:
		*c = value
		return nil
	default:
		return errors.New("wanted: auto, always or never")
	}
}

// String returns the value.
func (c *Color) String() string { return string(*c) }

// Type names the value in help.
func (c *Color) Type() string { return "when" }

// Output is one of the program's outputs. It adds nothing to what is written to
// it.
type Output struct {
	io.Writer
	terminal bool
	columns  int
	color    bool
	dumb     bool
}

// Sized is a writer that says itself that it is a terminal, and how many columns
// it has: a stand-in for one in a test.
type Sized interface {
	Columns() int
}

// NewOutput looks at what w is. Colours are used if color says so; where that is
// auto, not if the variable NO_COLOR is set, else if FORCE_COLOR or
// CLICOLOR_FORCE are (to something else than 0), else on terminals that are not
// dumb.
func NewOutput(w io.Writer, color Color, lookup func(name string) (string, bool)) *Output {
	out := &Output{Writer: w}
	switch v := w.(type) {
	case Sized:
		out.terminal, out.columns = true, v.Columns()
	case *os.File:
		out.terminal = term.IsTerminal(int(v.Fd()))
		if out.terminal {
			out.columns = columnsOf(v, lookup)
		}
	}
	kind, _ := lookup("TERM")
	out.dumb = kind == "dumb"
	out.color = out.wantsColor(color, lookup) && enableEscapes(w)
	return out
}

func columnsOf(file *os.File, lookup func(string) (string, bool)) int {
	if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
		return columns
	}
	if text, found := lookup("COLUMNS"); found {
		if columns, err := strconv.Atoi(text); err == nil && columns > 0 {
			return columns
		}
	}
	return defaultColumns
}

func (o *Output) wantsColor(color Color, lookup func(string) (string, bool)) bool {
	isSet := func(name string) bool {
		text, found := lookup(name)
		return found && text != ""
	}
	forced := func(name string) bool {
		text, _ := lookup(name)
		return text != "" && text != "0"
	}
	switch {
	case color == ColorAlways:
		return true
	case color == ColorNever, isSet("NO_COLOR"):
		return false
	case forced("FORCE_COLOR"), forced("CLICOLOR_FORCE"):
		return true
	}
	return o.terminal && !o.dumb
}

// IsTerminal reports whether somebody looks on.
func (o *Output) IsTerminal() bool { return o.terminal }

// Columns is the width of the terminal; 0 where there is none.
func (o *Output) Columns() int { return o.columns }

// HasColor reports whether colours are used.
func (o *Output) HasColor() bool { return o.color }

// CanDraw reports whether lines can be drawn and taken back.
func (o *Output) CanDraw() bool { return o.terminal && !o.dumb }

// Paint returns the text in a style, where colours are used. The text must be
// fit for terminals already; see Escape.
func (o *Output) Paint(style Style, text string) string {
	if !o.color || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Style is how text looks: the parameters of the SGR sequence.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)
