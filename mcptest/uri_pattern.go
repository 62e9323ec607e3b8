package mcptest

import "strings"

// uriPattern is a URI template of simple expansions: each {name} stands for one
// or more characters without a slash.
type uriPattern struct{ literals []string }

func parseURIPattern(template string) uriPattern {
	var literals []string
	for {
		before, rest, open := strings.Cut(template, "{")
		literals = append(literals, before)
		if !open {
			return uriPattern{literals}
		}
		_, template, _ = strings.Cut(rest, "}")
	}
}

// matches reports whether the URI is an expansion of the template. Variables
// match as little as they can.
func (p uriPattern) matches(uri string) bool {
	rest, ok := strings.CutPrefix(uri, p.literals[0])
	if !ok {
		return false
	}
	for i, literal := range p.literals[1:] {
		end := len(rest)
		last := i == len(p.literals)-2
		switch {
		case last && !strings.HasSuffix(rest, literal):
			return false
		case last:
			end -= len(literal)
		case literal != "":
			end = strings.Index(rest, literal)
		}
		if end < 1 || strings.Contains(rest[:end], "/") {
			return false
		}
		rest = rest[end+len(literal):]
	}
	return rest == ""
}
