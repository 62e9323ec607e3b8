package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
)

// identity is what whoami tells as JSON: nothing of the token itself.
type identity struct {
	Server    string    `json:"server"`
	Principal string    `json:"principal,omitempty"`
	Issuer    string    `json:"issuer"`
	Resource  string    `json:"resource"`
	Client    string    `json:"client_id"`
	Scopes    []string  `json:"scopes"`
	Expires   time.Time `json:"expires,omitzero"`
	Renewable bool      `json:"renewable"`
	Bound     bool      `json:"bound,omitempty"`
}

func (p *program) whoamiCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "whoami SERVER",
		Short: "Tell who one is to a server: principal, issuer, scopes, expiry",
		Long: "Tell who one is to a server: principal, issuer, scopes and when the token ends; never the token. Nobody is asked:\n" +
			"it is what the last login brought. Exits with 1 if there was none, or its token has ended.",
		Example: "  mcpclient whoami github\n  mcpclient whoami github --json",
		Args:    arguments(cobra.ExactArgs(1), "the name of a server"),
		RunE: func(command *cobra.Command, found []string) error {
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				authorizer, err := authorizerOf(connection)
				if err != nil {
					return err
				}
				status, err := authorizer.Status(ctx, p.principal)
				if err == nil && !status.Authorized {
					return p.notLoggedIn(connection, authorizer, status)
				}
				return p.tellStatus(connection, status, err, "logged in to")
			})
		},
	}
}

func (p *program) notLoggedIn(connection *mcpclient.Connection, authorizer *auth.Authorizer, status auth.Status) error {
	what := "not logged in"
	if !status.Expires.IsZero() {
		what = "the login has ended"
	}
	if authorizer.Type() != auth.TypeOAuth {
		return fmt.Errorf("server %q: there is no token (auth.type is %s: calls get one by themselves)", connection.Name(), authorizer.Type())
	}
	return fmt.Errorf("server %q: %s; run '%s'", connection.Name(), what, p.loginLine(connection.Name()))
}

// tellStatus prints who one is.
func (p *program) tellStatus(connection *mcpclient.Connection, status auth.Status, err error, what string) error {
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(identity{
			Server: connection.Name(), Principal: p.principal, Issuer: status.Issuer, Resource: status.Resource, Client: status.ClientID,
			Scopes: append([]string{}, status.Scopes...), Expires: status.Expires.Truncate(time.Second), Renewable: status.Renewable, Bound: status.Bound,
		})
	}
	lines := []string{what + " " + connection.Name()}
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, fmt.Sprintf("  %-9s  %s", name, errors.PeerText(text, 1000)))
		}
	}
	add("principal", p.principal)
	add("issuer", status.Issuer)
	add("client", status.ClientID)
	add("scopes", strings.Join(status.Scopes, " "))
	add("expires", expiry(status, time.Now()))
	return p.printLine(strings.Join(lines, "\n"))
}

// expiry says when a token ends, and what then.
func expiry(status auth.Status, now time.Time) string {
	text := "when the server says so"
	if !status.Expires.IsZero() {
		text = status.Expires.Local().Format(time.DateTime) + " (" + remaining(status.Expires.Sub(now)) + ")"
	}
	if status.Renewable {
		text += ", and is renewed by itself"
	}
	return text
}

func remaining(left time.Duration) string {
	switch {
	case left <= 0:
		return "ended"
	case left < 2*time.Minute:
		return fmt.Sprintf("in %d seconds", int(left.Seconds()))
	case left < 2*time.Hour:
		return fmt.Sprintf("in %d minutes", int(left.Minutes()))
	case left < 48*time.Hour:
		return fmt.Sprintf("in %d hours", int(left.Hours()))
	default:
		return fmt.Sprintf("in %d days", int(left.Hours()/24))
	}
}
