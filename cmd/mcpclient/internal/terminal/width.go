package terminal

import (
	"strings"
	"unicode"
)

// wide are the blocks whose characters take two columns: those of East Asian
// scripts, and emoji. It need not be complete: a table is only less well aligned
// where it is not.
var wide = [][2]rune{
	{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
	{0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff},
	{0x20000, 0x3fffd},
}

// Width returns how many columns a line takes.
func Width(line string) int {
	width := 0
	for _, r := range line {
		width += runeWidth(r)
	}
	return width
}

func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, block := range wide {
		if r >= block[0] && r <= block[1] {
			return 2
		}
	}
	return 1
}

// Fit returns a line that takes at most so many columns: what is too long ends
// in an ellipsis.
func Fit(line string, columns int) string {
	if Width(line) <= columns {
		return line
	}
	if columns <= 0 {
		return ""
	}
	room := columns - 1
	for at, r := range line {
		if room -= runeWidth(r); room < 0 {
			return strings.TrimRight(line[:at], " ") + "…"
		}
	}
	return line
}

// fill adds spaces up to a width.
func fill(line string, columns int) string {
	if missing := columns - Width(line); missing > 0 {
		return line + strings.Repeat(" ", missing)
	}
	return line
}
