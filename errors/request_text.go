package errors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The text of a failure says each thing once, the most telling one first:
//
//	mcp server "x": tools/list: initialize: process ended: exit status 3; stderr ends: ...
//	mcp server "x": tools/list: HTTP status 404: Not Found: body begins "<html>"
//
// Server and action come first, then the step of the handshake if it was one of
// those that failed, then the status, what happened, and why.

// Error names server, action and cause in one line, then, where there is one,
// the tail of the process's stderr.
func (e *TransporterRequestError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcp server %q", e.Server)
	if e.Action != "" {
		b.WriteString(": " + e.Action)
	}
	b.WriteString(": " + e.describe())
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (%d attempts)", e.Attempts)
	}
	if e.Snippet != "" {
		b.WriteString(`: body begins "` + e.Snippet + `"`) // escaped already
	}
	if e.Stderr != "" {
		b.WriteString("; stderr ends:\n" + e.Stderr)
	}
	return b.String()
}

func (e *TransporterRequestError) describe() string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	step, message := cutStep(e.Message)
	cause := ""
	if e.Err != nil {
		cause = e.Err.Error()
	}
	if e.Message == "" {
		step, cause = cutStep(cause)
	}
	add(step)
	switch {
	case e.Kind == KindPeer:
		add("server answered with error " + strconv.Itoa(e.Code))
	case e.Status != 0:
		add("HTTP status " + strconv.Itoa(e.Status))
	}
	add(message)
	add(why(step, message, cause))
	if len(parts) == 0 {
		return e.Kind.String()
	}
	return strings.Join(parts, ": ")
}

// cutStep takes the step of a handshake off the front of a message: a method,
// and for the second attempt what came of the first one, in brackets.
func cutStep(message string) (step, rest string) {
	const after = "initialize (after server/discover: "
	end := ": "
	if strings.HasPrefix(message, after) {
		end = "): "
	}
	step, rest, cut := strings.Cut(message, end)
	if cut && end != ": " {
		step += ")"
	}
	switch {
	case step == "initialize", step == "server/discover", step == "notifications/initialized", strings.HasPrefix(step, after):
		return step, rest
	default:
		return "", message
	}
}

// why is the text of the cause, without what step and message make plain
// already.
func why(step, message, cause string) string {
	if cause == message {
		return ""
	}
	if step == "" && message == "" {
		return cause
	}
	told := slices.DeleteFunc(strings.Split(cause, ": "), isClass)
	if len(told) == 0 && message == "" {
		return cause
	}
	return strings.Join(told, ": ")
}

// isClass reports whether text only names a class of failures. Beside a
// description of what happened it says nothing more.
func isClass(text string) bool {
	for _, class := range []error{ErrPeerLost, ErrStartFailed, ErrNotSent, ErrRequestTimeout, ErrConnectTimeout, ErrProtocol} {
		if text == class.Error() {
			return true
		}
	}
	return false
}
