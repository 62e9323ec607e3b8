package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/callback"
	"github.com/mcp-client-go/mcpclient/errors"
)

func (p *program) loginCommand() *cobra.Command {
	var noBrowser, again bool
	command := &cobra.Command{
		Use:   "login SERVER",
		Short: "Log in to a server that wants authorization",
		Long: "Log in to a server that wants authorization: open the browser, wait until the user has agreed there, and keep the\n" +
			"token for later runs (" + storeHelp + ").\n" +
			"The server needs a section auth in the configuration; 'auth: {}' is enough.\n\n" +
			"With --no-browser the address is only shown, for a browser on another machine; paste what that browser ends at.",
		Example: "  mcpclient login github\n" +
			"  mcpclient login github --no-browser\n" +
			"  mcpclient login github --timeout 2m --principal alice",
		Args: arguments(cobra.ExactArgs(1), "the name of a server"),
		RunE: func(command *cobra.Command, found []string) error {
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				return p.logIn(ctx, connection, noBrowser, again)
			})
		},
	}
	command.Flags().BoolVar(&noBrowser, "no-browser", false, "show the address instead of opening it, and read from stdin where the browser ended")
	command.Flags().BoolVar(&again, "again", false, "log in even if that was done before")
	return command
}

func (p *program) logIn(ctx context.Context, connection *mcpclient.Connection, noBrowser, again bool) error {
	authorizer, err := authorizerOf(connection)
	if err != nil {
		return err
	}
	if authorizer.Type() != auth.TypeOAuth {
		return fmt.Errorf("server %q gets its tokens by itself (auth.type is %s): there is no user to log in", connection.Name(), authorizer.Type())
	}
	// The server's challenge says best what is wanted.
	_, wanted := connection.ServerInfo(ctx)
	if wanted != nil && !errors.Is(wanted, errors.ErrAuthRequired) {
		return wanted
	}
	if wanted == nil && !again {
		if status, err := authorizer.Status(ctx, p.principal); err != nil || status.Authorized {
			return p.tellStatus(connection, status, err, "logged in already to")
		}
	}
	l := &login{program: p, authorizer: authorizer, noBrowser: noBrowser}
	if err := l.run(ctx, auth.Because(wanted)); err != nil {
		return err
	}
	status, err := authorizer.Status(ctx, p.principal)
	return p.tellStatus(connection, status, err, "logged in to")
}

// login is one login under way.
type login struct {
	*program
	authorizer *auth.Authorizer
	noBrowser  bool
	listener   *callback.Listener // nil: the user pastes
	flow       *auth.Flow
}

// run has the user agree, and stores the token.
func (l *login) run(ctx context.Context, because auth.BeginOption) error {
	if err := l.begin(ctx, because); err != nil {
		return err
	}
	if l.listener != nil {
		defer l.listener.Close()
		l.listener.Serve(l.authorizer.Server(), l.flow.State)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, l.flow.Expires, errors.New("nobody agreed in time (auth.consent_timeout)"))
	defer cancel()
	answer, err := l.wait(ctx)
	if err != nil {
		return err
	}
	err = l.authorizer.Finish(ctx, l.principal, answer.Query)
	answer.Reply(err)
	return err
}

// begin listens where the browser will come back to, and prepares the login.
// Where the port is in use another one does if the client is registered for this
// very login; one that was registered beforehand has to come back where that
// says.
func (l *login) begin(ctx context.Context, because auth.BeginOption) (err error) {
	redirect := l.authorizer.RedirectURL()
	listener, busy := callback.Listen(redirect, false)
	switch {
	case busy == nil:
		l.listener = listener
		l.flow, err = l.authorizer.Begin(ctx, l.principal, because)
		return l.closing(err)
	case l.noBrowser:
		l.flow, err = l.authorizer.Begin(ctx, l.principal, because)
		return err
	case errors.Is(busy, callback.ErrNotHere):
		return fmt.Errorf("auth.redirect_url of server %q is %s, which is not on this machine; --no-browser lets you paste where the browser ends", l.authorizer.Server(), redirect)
	}
	if l.listener, err = callback.Listen(redirect, true); err != nil {
		return err
	}
	l.flow, err = l.authorizer.Begin(ctx, l.principal, because, auth.RedirectTo(l.listener.URL()))
	if err == nil && !l.flow.Registered {
		err = fmt.Errorf("the port of auth.redirect_url (%s) cannot be listened at (%w), and client %q must come back there: end what uses the port, or use --no-browser", redirect, busy, errors.PeerText(l.flow.ClientID, maxCell))
	}
	return l.closing(err)
}

// closing closes the listener if there was an error.
func (l *login) closing(err error) error {
	if err != nil {
		l.listener.Close()
	}
	return err
}

// wait sends the user away and waits for the answer.
func (l *login) wait(ctx context.Context) (callback.Answer, error) {
	l.announce(ctx)
	var answers <-chan callback.Answer
	if l.listener != nil {
		answers = l.listener.Answers()
	}
	pasted, failed := l.pasted()
	for {
		select {
		case answer := <-answers:
			return answer, nil
		case answer := <-pasted:
			return answer, nil
		case err := <-failed:
			if l.listener == nil {
				return callback.Answer{}, err
			}
			failed = nil // the browser may come back by itself
		case <-ctx.Done():
			return callback.Answer{}, context.Cause(ctx)
		}
	}
}

// announce shows the address, and opens it unless the user does that.
func (l *login) announce(ctx context.Context) {
	scopes := ""
	if len(l.flow.Scopes) > 0 {
		scopes = ", for " + strings.Join(l.flow.Scopes, " ")
	}
	l.complain(fmt.Sprintf("Log in to %s at %s%s:\n\n  %s\n", l.authorizer.Server(), errors.PeerText(l.flow.Issuer, 200), scopes, l.flow.URL))
	if !l.noBrowser {
		if err := l.open(ctx, l.flow.URL); err != nil {
			l.complain("The browser could not be opened (" + err.Error() + ").")
			l.noBrowser = true
		}
	}
	switch {
	case !l.noBrowser:
		l.complain("Waiting for the browser to come back. If none has opened, open the address yourself.")
	case l.listener != nil:
		l.complain("Open the address in a browser. If that is on another machine, paste here the address that it ends at:")
	default:
		l.complain("Open the address in a browser, and paste here the address that it ends at:")
	}
}

// pasted reads what the user pastes, where the browser may be elsewhere. The
// goroutine ends with stdin, or with the program: a terminal that is being read
// from cannot be interrupted.
func (l *login) pasted() (<-chan callback.Answer, <-chan error) {
	if !l.noBrowser {
		return nil, nil
	}
	answers, failed := make(chan callback.Answer, 1), make(chan error, 1)
	go func() {
		answer, err := callback.Pasted(l.stdin, l.flow.State, l.complain)
		if err != nil {
			failed <- err
			return
		}
		answers <- answer
	}()
	return answers, failed
}
