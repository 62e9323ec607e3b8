package config

import (
	"path/filepath"
	"strings"
)

// Interpolation is one pass from left to right over a string:
//
//	$${             a literal ${
//	${NAME}         the variable; unset is a problem
//	${NAME:-text}   the variable, or text where it is unset or empty
//	${env:NAME}     another spelling of ${NAME}; a default may follow too
//	${file:path}    the content of the file without one line end at its end
//	${input:id}     what a person answers, where there is one to ask
//
// What is put in is never scanned, so a value from outside cannot refer to
// anything. Every problem of a string is reported, and a problem carries only
// what the author of the file wrote as a reference.

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

const referenceSyntax = "${VAR}, ${VAR:-default}, ${file:path}, ${input:id}, and $${ for a literal ${"

// expand resolves every reference in text; a person may be asked. The result is
// meaningful only if there are no problems.
func (c scope) expand(text string) (string, []problem) {
	return c.expandEach(text, c.ask, func(string, string) {})
}

// inputFunc gives the value of an input, or says why there is none.
type inputFunc func(id string) (string, *problem)

// expandEach is expand with another way to get inputs, and calls each with the
// inside of every reference that it resolved, and what it stands for.
func (c scope) expandEach(text string, input inputFunc, each func(body, value string)) (string, []problem) {
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
		value, wrong := c.resolve(body, input)
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
func (c scope) resolve(body string, input inputFunc) (string, *problem) {
	if path, isFile := strings.CutPrefix(body, "file:"); isFile {
		return c.resolveFile(path)
	}
	if id, isInput := strings.CutPrefix(body, "input:"); isInput && isInputID(id) {
		return input(id)
	}
	kind, name, fallback, hasFallback, ok := variableReference(body)
	if !ok {
		return "", &problem{"${", "not a reference", referenceSyntax}
	}
	if strings.Contains(fallback, "${") {
		return "", &problem{"${" + kind + name + ":-...}", "a default cannot contain a reference", referenceSyntax}
	}
	value, set := c.source.variable(name)
	switch {
	case hasFallback && value == "":
		return fallback, nil
	case !set:
		return "", &problem{"${" + kind + name + "}", "the environment variable is not set and has no default", ""}
	}
	return value, nil
}

// variableReference takes NAME, NAME:-default and both behind env: apart. ok is
// false if body is none of them: then nothing of it may be shown, for it may be a
// piece of a password.
func variableReference(body string) (kind, name, fallback string, hasFallback, ok bool) {
	if rest, isEnv := strings.CutPrefix(body, "env:"); isEnv {
		kind, body = "env:", rest
	}
	name, fallback, hasFallback = strings.Cut(body, ":-")
	return kind, name, fallback, hasFallback, isVariableName(name)
}

func (c scope) resolveFile(path string) (string, *problem) {
	reference := "${file:" + printable(path) + "}"
	if path == "" {
		return "", &problem{reference, "the reference names no file", "${file:path}"}
	}
	resolved, wrong := c.path(path)
	if wrong != nil {
		wrong.reference = reference
		return "", wrong
	}
	if !filepath.IsAbs(resolved) {
		return "", &problem{reference, "a relative path needs a configuration file to be relative to", "${file:/path}"}
	}
	content, err := c.source.file(resolved)
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
