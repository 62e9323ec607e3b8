package auth

import (
	"fmt"
	"log/slog"

	"github.com/mcp-client-go/mcpclient/auth/internal/fetch"
)

// Format prints the flow for every verb, without its state, which is a secret
// until the flow has ended. Its JSON form has everything, for the browser.
func (f Flow) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, f.describe()) }

// LogValue makes log/slog print what fmt does.
func (f Flow) LogValue() slog.Value { return slog.StringValue(f.describe()) }

func (f Flow) describe() string {
	return fmt.Sprintf("authorization at %s for scopes %q until %s", fetch.DisplayText(f.URL), f.Scopes, f.Expires)
}

// Format prints the request for every verb, without the query of its URL, in
// which the flow's state is.
func (r AuthorizationRequest) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprint(state, r.describe())
}

// LogValue makes log/slog print what fmt does.
func (r AuthorizationRequest) LogValue() slog.Value { return slog.StringValue(r.describe()) }

func (r AuthorizationRequest) describe() string {
	return fmt.Sprintf("authorization of %q for server %q at %s for scopes %q", r.Principal, r.Server, fetch.DisplayText(r.URL), r.Scopes)
}

// Format prints whose authorizer it is for every verb. It reads nothing that
// changes, so that it may be printed while calls are running.
func (a *Authorizer) Format(state fmt.State, _ rune) {
	if a == nil {
		_, _ = fmt.Fprint(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "authorizer of server %q", a.server)
}

// Format prints whose credentials these are for every verb.
func (p *Principal) Format(state fmt.State, _ rune) {
	if p == nil {
		_, _ = fmt.Fprint(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "credentials of principal %q for server %q", p.name, p.authorizer.server)
}
