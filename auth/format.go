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

// Authorizers and principals are in use by other goroutines while somebody prints
// them: their fields are not read for it.

// Format prints, for every verb, the server's name.
func (a *Authorizer) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, a.describe()) }

// LogValue makes log/slog print what fmt does.
func (a *Authorizer) LogValue() slog.Value { return slog.StringValue(a.describe()) }

func (a *Authorizer) describe() string {
	if a == nil {
		return "<nil>"
	}
	return fmt.Sprintf("authorizer for server %q", a.server)
}

// Format prints, for every verb, the principal's and the server's name.
func (p *Principal) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, p.describe()) }

// LogValue makes log/slog print what fmt does.
func (p *Principal) LogValue() slog.Value { return slog.StringValue(p.describe()) }

func (p *Principal) describe() string {
	if p == nil {
		return "<nil>"
	}
	return fmt.Sprintf("credentials of principal %q for server %q", p.name, p.authorizer.server)
}
