package main

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/field"
)

// expand fills in what an action's texts stand for in its i-th turn, counted
// from 1: {{i}} is the count, {{repeat:N:x}} is x, N times. Other texts in
// braces stay as they are. The arguments are expanded as JSON text: what is
// repeated is already escaped as it must be there.
func expand(action field.Action, i int) field.Action {
	action.Name = expandText(action.Name, i)
	action.URI = expandText(action.URI, i)
	if action.Arguments != nil {
		action.Arguments = []byte(expandText(string(action.Arguments), i))
	}
	return action
}

func expandText(text string, i int) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	return regexp.MustCompile(`\{\{[^{}]+\}\}`).ReplaceAllStringFunc(text, func(braced string) string {
		name := braced[2 : len(braced)-2]
		if name == "i" {
			return strconv.Itoa(i)
		}
		if count, repeated, ok := strings.Cut(strings.TrimPrefix(name, "repeat:"), ":"); ok && strings.HasPrefix(name, "repeat:") {
			if n, err := strconv.Atoi(count); err == nil && n >= 0 {
				return strings.Repeat(repeated, n)
			}
		}
		return braced
	})
}
