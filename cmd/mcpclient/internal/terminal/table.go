package terminal

import (
	"io"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

const (
	// maxCell bounds a cell in a table, in bytes.
	maxCell = 400
	// maxField bounds a field of a line for programs, in bytes.
	maxField = 8192
	// minColumn is how narrow a column may be made.
	minColumn = 12
	// gap stands between columns.
	gap = "  "
)

// Cell is one cell of a table. Its text may be anything: it is made fit for
// terminals when it is written.
type Cell struct {
	Text  string
	Style Style
}

// Table is rows under a heading. On a terminal it is written as aligned columns,
// made to fit its width, of each cell the first line. Elsewhere each row is a
// line, whole, of fields between tabs, and the heading is left out: it is for
// programs such as cut.
type Table struct {
	Heading []string
	Rows    [][]Cell
}

// Write writes the table.
func (t Table) Write(out *Output) error {
	if !out.IsTerminal() {
		return t.writeFields(out)
	}
	rows := t.lines()
	widths := fit(widthsOf(rows), out.Columns())
	for _, row := range rows {
		if _, err := io.WriteString(out, t.line(out, row, widths)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func (t Table) writeFields(out io.Writer) error {
	for _, row := range t.Rows {
		fields := make([]string, len(row))
		for i, cell := range row {
			fields[i] = errors.PeerText(strings.TrimSpace(cell.Text), maxField)
		}
		if _, err := io.WriteString(out, strings.Join(fields, "\t")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// lines returns heading and rows, with each cell one line.
func (t Table) lines() [][]Cell {
	heading := make([]Cell, len(t.Heading))
	for i, text := range t.Heading {
		heading[i] = Cell{text, Bold}
	}
	rows := [][]Cell{heading}
	for _, row := range t.Rows {
		line := make([]Cell, len(row))
		for i, cell := range row {
			line[i] = Cell{Line(cell.Text, maxCell), cell.Style}
		}
		rows = append(rows, line)
	}
	return rows
}

func (t Table) line(out *Output, row []Cell, widths []int) string {
	var line strings.Builder
	last := len(row) - 1
	for last >= 0 && row[last].Text == "" {
		last--
	}
	for i := 0; i <= last; i++ {
		text := Fit(row[i].Text, widths[i])
		padding := ""
		if i < last {
			padding = strings.Repeat(" ", widths[i]-Width(text)) + gap
		}
		line.WriteString(out.Paint(row[i].Style, text) + padding)
	}
	return line.String()
}

func widthsOf(rows [][]Cell) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell.Text))
		}
	}
	return widths
}

// fit takes columns from the widest ones, the later of two alike, until all of
// them fit. The first one, by which rows are told apart, is never narrowed.
func fit(widths []int, columns int) []int {
	total := len(gap) * (len(widths) - 1)
	for _, width := range widths {
		total += width
	}
	for ; total > columns; total-- {
		widest := -1
		for i := 1; i < len(widths); i++ {
			if widths[i] > minColumn && (widest < 0 || widths[i] >= widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}
