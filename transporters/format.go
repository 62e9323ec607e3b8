package transporters

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// What travels with a request holds secrets: tokens, headers, a session id. None
// of these types shows them when it is printed or logged by mistake.

// Format prints the options for every verb, without token, values of headers and
// Meta.
func (o CallOptions) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, o.describe()) }

// LogValue makes log/slog print what fmt does.
func (o CallOptions) LogValue() slog.Value { return slog.StringValue(o.describe()) }

func (o CallOptions) describe() string {
	text := fmt.Sprintf("options of a call for principal %q", o.Principal)
	if o.Token != "" {
		text += ", with a token"
	}
	return text + headerNames(o.Header)
}

// Format prints what kind of message it is for every verb, without its bytes and
// the values of its headers.
func (o Outbound) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, o.describe()) }

// LogValue makes log/slog print what fmt does.
func (o Outbound) LogValue() slog.Value { return slog.StringValue(o.describe()) }

func (o Outbound) describe() string {
	return fmt.Sprintf("%s of %d bytes, id %d", o.Method, len(o.Frame), o.ID) + headerNames(o.Header)
}

// Format prints what kind of answer it is for every verb, without its bytes and
// the values of its headers.
func (r Reply) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, r.describe()) }

// LogValue makes log/slog print what fmt does.
func (r Reply) LogValue() slog.Value { return slog.StringValue(r.describe()) }

func (r Reply) describe() string {
	return fmt.Sprintf("reply of %d bytes, status %d", len(r.Message.Raw)+len(r.Body), r.Status) + headerNames(r.Header)
}

// headerNames lists the names of headers, behind whatever stands before.
func headerNames(header http.Header) string {
	if len(header) == 0 {
		return ""
	}
	return ", headers " + strings.Join(slices.Sorted(maps.Keys(header)), " ")
}
