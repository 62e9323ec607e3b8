package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Interpolation is one pass from left to right over a string:
//
//	$${             a literal ${
//	${NAME}         the variable; unset is a problem
//	${NAME:-text}   the variable, or text where it is unset or empty
//	${file:/path}   the content of the file without one line end at its end
//
// What is put in is never scanned, so a value from outside cannot refer to
// anything. Every problem of a string is reported, and a problem carries only
// what the author of the file wrote as a reference.

// largestReferencedFile bounds what ${file:...} reads, in bytes.
const largestReferencedFile = 1 << 20

// source is where references get their values. A nil *source is the
// environment and the files of this process.
type source struct {
	lookupEnv func(name string) (string, bool)
	readFile  func(path string) ([]byte, error)
}

// newSource returns nil when nothing is replaced, so that two secrets from two
// loads of one file compare equal.
func newSource(options Options) *source {
	if options.LookupEnv == nil && options.ReadFile == nil {
		return nil
	}
	return &source{lookupEnv: options.LookupEnv, readFile: options.ReadFile}
}

func (s *source) variable(name string) (string, bool) {
	if s == nil || s.lookupEnv == nil {
		return os.LookupEnv(name)
	}
	return s.lookupEnv(name)
}

func (s *source) file(path string) ([]byte, error) {
	if s == nil || s.readFile == nil {
		return readFile(path, largestReferencedFile)
	}
	return s.readFile(path)
}

// problem is a reference that cannot be resolved.
type problem struct {
	reference string // as written; never a value
	message   string
	allowed   string
}

// String renders the problem without its place.
func (p problem) String() string {
	text := p.message
	if p.reference != "" {
		text += "; found " + p.reference
	}
	if p.allowed != "" {
		text += "; allowed: " + p.allowed
	}
	return text
}

const referenceSyntax = "${VAR}, ${VAR:-default}, ${file:/path}, and $${ for a literal ${"

// expand resolves every reference in text. The result is meaningful only if
// there are no problems.
func (s *source) expand(text string) (string, []problem) {
	return s.expandEach(text, func(string, string) {})
}

// expandEach is expand, and calls each with the inside of every reference that it
// resolved, and what it stands for.
func (s *source) expandEach(text string, each func(body, value string)) (string, []problem) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var (
		result   strings.Builder
		problems []problem
	)
	for {
		start := strings.Index(text, "${")
		if start < 0 {
			result.WriteString(text)
			return result.String(), problems
		}
		if start > 0 && text[start-1] == '$' {
			result.WriteString(text[:start-1])
			result.WriteString("${")
			text = text[start+2:]
			continue
		}
		result.WriteString(text[:start])
		body, rest, closed := strings.Cut(text[start+2:], "}")
		if !closed {
			// The rest is not shown: it may be the tail of a password.
			return "", append(problems, problem{"${", "a reference is not closed with }", referenceSyntax})
		}
		value, wrong := s.resolve(body)
		if wrong != nil {
			problems = append(problems, *wrong)
		} else {
			each(body, value)
		}
		result.WriteString(value)
		text = rest
	}
}

// resolve returns the value of the reference whose inside is body.
func (s *source) resolve(body string) (string, *problem) {
	if path, isFile := strings.CutPrefix(body, "file:"); isFile {
		return s.resolveFile(path)
	}
	name, fallback, hasFallback := strings.Cut(body, ":-")
	if !isVariableName(name) {
		return "", malformed(body)
	}
	if strings.Contains(fallback, "${") {
		return "", &problem{"${" + name + ":-...}", "a default cannot contain a reference", referenceSyntax}
	}
	value, set := s.variable(name)
	switch {
	case hasFallback && value == "":
		return fallback, nil
	case !set:
		return "", &problem{"${" + name + "}", "the environment variable is not set and has no default", ""}
	}
	return value, nil
}

func (s *source) resolveFile(path string) (string, *problem) {
	reference := "${file:" + printable(path) + "}"
	if !filepath.IsAbs(path) {
		return "", &problem{reference, "the path of a file must be absolute", "${file:/path}"}
	}
	content, err := s.file(path)
	if err != nil {
		return "", &problem{reference, "the file cannot be read: " + readFailure(err), ""}
	}
	if len(content) > largestReferencedFile {
		return "", &problem{reference, "the file is larger than 1 MiB", ""}
	}
	text := strings.TrimSuffix(string(content), "\n")
	if len(text) < len(content) {
		text = strings.TrimSuffix(text, "\r")
	}
	return text, nil
}

// malformed describes a reference of no known form. Its text is shown only
// where it is a habit of another tool, for it may be a piece of a password.
func malformed(body string) *problem {
	if name, found := strings.CutPrefix(body, "env:"); found && isVariableName(name) {
		return &problem{"${env:" + name + "}", "unknown kind of reference", "${" + name + "}"}
	}
	if name, found := strings.CutPrefix(body, "input:"); found && isVariableName(name) {
		return &problem{"${input:" + name + "}", "a server program cannot ask for input", referenceSyntax}
	}
	return &problem{"${", "not a reference", referenceSyntax}
}

// isVariableName reports whether name is what a POSIX shell takes as the name of a
// variable, at most 200 bytes long.
func isVariableName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= 200
}

// readFile reads a regular file of at most limit bytes. A pipe or a device is
// refused: opening one could wait for ever.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read from: nothing can be lost
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return content, nil
}

// readFailure is the reason without the path, which the message already has.
func readFailure(err error) string {
	if failure, ok := errors.AsType[*os.PathError](err); ok {
		err = failure.Err
	}
	return printable(err.Error())
}
