package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
)

// maxCell bounds a server's word within a line, in bytes.
const maxCell = 100

// table writes rows, the first one being the heading: see terminal.Table.
func (p *program) table(rows [][]string) error {
	table := terminal.Table{Heading: rows[0]}
	for _, row := range rows[1:] {
		cells := make([]terminal.Cell, len(row))
		for i, text := range row {
			cells[i].Text = text
		}
		table.Rows = append(table.Rows, cells)
	}
	return p.printTable(table)
}

func (p *program) printTable(table terminal.Table) error { return table.Write(p.output()) }

// nothing says that a list is empty, where people look on: for programs, no lines
// say so.
func (p *program) nothing(what string) error {
	if p.output().IsTerminal() {
		return p.printLine(what)
	}
	return nil
}

// cell returns the first line of a text.
func cell(text string) string { return terminal.Line(text, maxCell) }

// terminalText escapes what does not print, except line ends and tabs.
func terminalText(text string) string { return terminal.Escape(text) }

// printJSON writes a value, or raw JSON, indented. Characters that do not print
// are written as JSON escapes, which changes no value.
func (p *program) printJSON(value any) error {
	raw, err := encode(value)
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return err
	}
	return p.printLine(terminal.EscapeJSON(indented.String()))
}

// printCompact writes a value as one line of JSON.
func (p *program) printCompact(to io.Writer, value any) error {
	raw, err := encode(value)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return err
	}
	_, err = io.WriteString(to, terminal.EscapeJSON(compact.String())+"\n")
	return err
}

func encode(value any) (json.RawMessage, error) {
	if raw, isRaw := value.(json.RawMessage); isRaw {
		return bytes.TrimSpace(raw), nil
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(encoded.Bytes()), err
}

// printLine writes text and a line end, unless it has one.
func (p *program) printLine(text string) error {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(p.stdout, text)
	return err
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	return terminal.NewOutput(w, terminal.ColorNever, func(string) (string, bool) { return "", false }).IsTerminal()
}
