package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/errors"
)

// What servers send is untrusted: before it reaches a terminal, everything that
// could move the cursor, change colours or reorder text is escaped (P103).

// maxCell bounds a cell of a table, in bytes.
const maxCell = 100

// table writes rows as aligned columns, the first row being the heading.
func (p *program) table(rows [][]string) error {
	var aligned strings.Builder
	writer := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for _, text := range row {
			_, _ = fmt.Fprint(writer, cell(text), "\t") // into memory
		}
		_, _ = fmt.Fprintln(writer)
	}
	_ = writer.Flush()
	for line := range strings.Lines(aligned.String()) {
		if err := p.printLine(strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// cell returns the first line of a text.
func cell(text string) string {
	line, more, found := strings.Cut(strings.TrimSpace(text), "\n")
	line = errors.PeerText(strings.TrimRight(line, "\r"), maxCell)
	if found && strings.TrimSpace(more) != "" && !strings.HasSuffix(line, "...") {
		line += " ..."
	}
	return line
}

// printJSON writes a value, or raw JSON, indented. Characters that do not print
// are written as JSON escapes, which changes no value.
func (p *program) printJSON(value any) error {
	raw, isRaw := value.(json.RawMessage)
	if !isRaw {
		var encoded bytes.Buffer
		encoder := json.NewEncoder(&encoded)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return err
		}
		raw = encoded.Bytes()
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, bytes.TrimSpace(raw), "", "  "); err != nil {
		return err
	}
	return p.printLine(escapeJSON(indented.String()))
}

// escapeJSON escapes what does not print. Outside of strings, JSON has only
// plain characters.
func escapeJSON(text string) string {
	return escaping(text, func(r rune) string {
		if r > 0xffff {
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// terminalText escapes what does not print, except line ends and tabs.
func terminalText(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return escaping(text, func(r rune) string {
		switch {
		case r < 0x100:
			return fmt.Sprintf(`\x%02x`, r)
		case r < 0x10000:
			return fmt.Sprintf(`\u%04x`, r)
		default:
			return fmt.Sprintf(`\U%08x`, r)
		}
	})
}

func escaping(text string, escape func(rune) string) string {
	if strings.IndexFunc(text, isUnprintable) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isUnprintable(r) {
			b.WriteString(escape(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isUnprintable(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }

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
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
