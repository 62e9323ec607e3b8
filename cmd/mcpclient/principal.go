package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/auth/filestore"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/process"
)

// authorization is what a run of the program needs to log in.
type authorization struct {
	principal   string                                      // on whose behalf; empty: the client itself
	openBrowser func(ctx context.Context, url string) error // nil: the system's
}

// storeHelp says in help texts where tokens are.
const storeHelp = "auth.store of the configuration, else mcpclient/tokens in the user's configuration folder"

// addAuthorization adds the commands and the flag that are about who one is.
func (p *program) addAuthorization(root *cobra.Command) {
	root.PersistentFlags().StringVar(&p.principal, "principal", "", "call, log in and out on behalf of this `principal`, where one program serves several")
	root.AddCommand(p.loginCommand(), p.logoutCommand(), p.whoamiCommand())
}

// keepingTokens makes tokens survive this run where the configuration does not
// say how.
func keepingTokens() mcpclient.Option {
	return mcpclient.WithAuthOptions(auth.WithFallbackStore(filestore.Personal(func() (string, error) {
		folder, err := config.UserFolder()
		if err != nil {
			return "", fmt.Errorf("%w; tokens are kept where auth.store.path and auth.store.key say", err)
		}
		return filepath.Join(folder, "tokens"), nil
	})))
}

// onBehalf names whom calls are for.
func (p *program) onBehalf(ctx context.Context) context.Context {
	if p.principal == "" {
		return ctx
	}
	return mcpclient.WithPrincipal(ctx, p.principal)
}

func (p *program) open(ctx context.Context, url string) error {
	if p.openBrowser != nil {
		return p.openBrowser(ctx, url)
	}
	_, err := process.Launch(ctx, process.Browser(url)...)
	return err
}

// authorizerOf returns what gets a server's tokens.
func authorizerOf(connection *mcpclient.Connection) (*auth.Authorizer, error) {
	if authorizer := connection.Authorizer(); authorizer != nil {
		return authorizer, nil
	}
	return nil, fmt.Errorf("nobody can log in to server %q: that needs a server of type http with a section auth of type oauth ('auth: {}' is enough)", connection.Name())
}

// hinted says how to authorize to whom that is missing.
func (p *program) hinted(client *mcpclient.Client, err error) error {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok || !errors.Is(err, errors.ErrAuthRequired) {
		return err
	}
	connection, unknown := client.Connect(failure.Server)
	switch {
	case unknown != nil:
		return err
	case connection.Authorizer() != nil && connection.Authorizer().Type() == auth.TypeOAuth:
		return fmt.Errorf("%w; run '%s'", err, p.loginLine(failure.Server))
	case connection.Authorizer() == nil && len(failure.Challenge) > 0:
		return fmt.Errorf("%w; if users log in to it, add 'auth: {}' to its configuration, and run '%s'", err, p.loginLine(failure.Server))
	default:
		return err
	}
}

// loginLine is the command that logs in to a server.
func (p *program) loginLine(server string) string {
	line := "mcpclient login " + server
	if p.principal != "" {
		line += " --principal " + p.principal
	}
	return line
}
