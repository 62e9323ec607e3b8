package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
)

func (p *program) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout SERVER",
		Short: "Log out of a server: revoke the token and forget it",
		Long: "Log out of a server: revoke the token, where its authorization server offers that, and forget it in any case. Who is\n" +
			"not logged in is told so, which is no failure.",
		Example: "  mcpclient logout github",
		Args:    arguments(cobra.ExactArgs(1), "the name of a server"),
		RunE: func(command *cobra.Command, found []string) error {
			return p.withServer(command.Context(), found[0], p.logOut)
		},
	}
}

func (p *program) logOut(ctx context.Context, connection *mcpclient.Connection) error {
	authorizer, err := authorizerOf(connection)
	if err != nil {
		return err
	}
	status, err := authorizer.Status(ctx, p.principal)
	if err != nil {
		return err
	}
	if status.Issuer == "" {
		return p.tellLogout(connection, false)
	}
	if err := authorizer.Revoke(ctx, p.principal); err != nil {
		return fmt.Errorf("logged out here, but the authorization server could not be told, so that the token may be good until it ends: %w", err)
	}
	return p.tellLogout(connection, true)
}

func (p *program) tellLogout(connection *mcpclient.Connection, was bool) error {
	switch {
	case p.json:
		return p.printJSON(map[string]any{"server": connection.Name(), "was_logged_in": was})
	case was:
		return p.printLine("logged out of " + connection.Name())
	default:
		return p.printLine("not logged in to " + connection.Name())
	}
}
