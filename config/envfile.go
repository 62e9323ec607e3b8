package config

import (
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// An own reader, because the libraries at hand quote the file in their errors,
// which may be a secret, have no lines in them, and replace $ in values.

// EnvFile names a file of environment variables, one NAME=value a line. The zero
// EnvFile names none. It is immutable, comparable and safe for concurrent use.
//
// Empty lines and lines that begin with # are passed over, and so is the word
// export before a name. A value ends at the line's end, or at a # behind a blank,
// and loses blanks at both ends. In single quotes it is taken as it is; in double
// quotes \n, \r, \t, \" and \\ mean what they mean in Go; a value in quotes may
// have several lines. $ has no meaning. Of a name that stands twice the last value
// counts. The file may have 1 MiB.
type EnvFile struct {
	path   string
	source *source
}

// Path returns the absolute path of the file; "" where none is named.
func (f EnvFile) Path() string { return f.path }

// IsZero reports whether no file is named.
func (f EnvFile) IsZero() bool { return f.path == "" }

// String returns the path.
func (f EnvFile) String() string { return f.path }

// ConfigType names the type in documentation.
func (EnvFile) ConfigType() string { return "path" }

// Variables reads the file now; nil where none is named. The error names the file
// and the line, never a value.
func (f EnvFile) Variables() (map[string]string, error) {
	if f.path == "" {
		return nil, nil
	}
	content, err := f.source.file(f.path)
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read: %s", printable(f.path), readFailure(err))
	}
	if len(content) > largestReferencedFile {
		return nil, fmt.Errorf("%s: the file is larger than 1 MiB", printable(f.path))
	}
	variables, err := parseEnvFile(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", printable(f.path), err)
	}
	return variables, nil
}

// envFile keeps the path, after a trial that finds a file that cannot be read.
func (d *decoder) envFile(path string, n *node, target *EnvFile) bool {
	if n.kind != kindText {
		return d.mismatch(path, n, "a path")
	}
	text, ok := d.expand(path, n)
	if !ok {
		return false
	}
	c := d.section.scopeOf(n)
	resolved, wrong := c.path(text)
	if wrong != nil {
		return d.tell(path, n, []problem{*wrong})
	}
	file := EnvFile{path: resolved, source: c.source}
	if _, err := file.Variables(); err != nil {
		fault := d.report(n, path, err.Error())
		fault.Allowed = "a file of lines NAME=value"
		return false
	}
	*target = file
	return true
}

// parseEnvFile reads the text of a file. An error begins with the line.
func parseEnvFile(text string) (map[string]string, error) {
	variables := map[string]string{}
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	for number := 1; text != ""; {
		name, value, rest, lines, err := nextVariable(text)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", number, err)
		}
		if name != "" {
			variables[name] = value
		}
		text, number = rest, number+lines
	}
	return variables, nil
}

// nextVariable reads what the first line begins, and returns how many lines that
// were. name is empty if it was nothing.
func nextVariable(text string) (name, value, rest string, lines int, err error) {
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", rest, 1, nil
	}
	name, value, found := strings.Cut(line, "=")
	if !found {
		return "", "", "", 0, errors.New("a line without =; allowed: NAME=value")
	}
	name = strings.TrimSpace(name)
	if word, exported := strings.CutPrefix(name, "export"); exported && strings.TrimLeft(word, " \t") != word {
		name = strings.TrimSpace(word)
	}
	if !isEnvFileName(name) {
		return "", "", "", 0, errors.New("what stands before = is not the name of a variable")
	}
	value = strings.TrimLeft(value, " \t")
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		_, behind, _ := strings.Cut(text, "=")
		return quotedVariable(name, strings.TrimLeft(behind, " \t"))
	}
	return name, withoutComment(value), rest, 1, nil
}

// isEnvFileName is isVariableName with dots and dashes, which some programs have.
func isEnvFileName(name string) bool {
	return isVariableName(strings.NewReplacer(".", "_", "-", "_").Replace(name)) && name[0] != '-' && name[0] != '.'
}

// withoutComment cuts a comment off a value that is not in quotes.
func withoutComment(value string) string {
	if strings.HasPrefix(value, "#") {
		return ""
	}
	for _, blank := range []string{" #", "\t#"} {
		value, _, _ = strings.Cut(value, blank)
	}
	return strings.TrimSpace(value)
}

// quotedVariable reads a value that begins with a quotation mark.
func quotedVariable(name, text string) (string, string, string, int, error) {
	var value strings.Builder
	mark := text[0]
	for pos := 1; pos < len(text); pos++ {
		c := text[pos]
		switch {
		case c == mark:
			behind, rest, _ := strings.Cut(text[pos+1:], "\n")
			if behind = strings.TrimSpace(behind); behind != "" && behind[0] != '#' {
				return "", "", "", 0, errors.New("something stands behind a value in quotes")
			}
			return name, value.String(), rest, 1 + strings.Count(text[:pos], "\n"), nil
		case c == '\\' && mark == '"' && pos+1 < len(text):
			pos++
			value.WriteString(unescaped(text[pos]))
		default:
			value.WriteByte(c)
		}
	}
	return "", "", "", 0, errors.New("a quotation mark is not closed")
}

// unescaped is what a backslash and c stand for: both, if nothing else.
func unescaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\':
		return string(c)
	}
	return "\\" + string(c)
}
