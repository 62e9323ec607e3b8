package main

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient"
	words "github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/arguments"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// isRefusal reports whether the server answered with an error.
func isRefusal(err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	return ok && failure.Kind == errors.KindPeer
}

func isUnknownMethod(err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	return ok && failure.Kind == errors.KindPeer && failure.Code == mcp.CodeMethodNotFound
}

// listedTools are the tools of a server, asked for at most once.
type listedTools struct {
	tools  mcpclient.Collection[mcp.Tool]
	listed bool
}

func (l *listedTools) list(ctx context.Context, connection *mcpclient.Connection) error {
	if l.listed {
		return nil
	}
	tools, err := connection.Tools(ctx)
	if err != nil && !isUnknownMethod(err) {
		return err
	}
	l.tools, l.listed = tools, true
	return nil
}

// schema looks a tool up. One that is not listed may exist all the same: its
// schema says nothing.
func (l *listedTools) schema(ctx context.Context, connection *mcpclient.Connection, name string) (words.Schema, error) {
	if err := l.list(ctx, connection); err != nil {
		return words.Schema{}, err
	}
	tool, found := l.tools.Get(name)
	if !found {
		return words.Schema{}, nil
	}
	return words.Of(tool.InputSchema), nil
}

// hint adds to the error of a call that the server does not list the tool, if
// that is so.
func (l *listedTools) hint(ctx context.Context, connection *mcpclient.Connection, name string, err error) error {
	if l.list(ctx, connection) != nil || l.tools.Len() == 0 {
		return err
	}
	if _, found := l.tools.Get(name); found {
		return err
	}
	return fmt.Errorf("%w; %s", err, notListed(l.tools, name, connection.Name()))
}

// notListed says that a tool is not there, and what to look at instead.
func notListed(tools mcpclient.Collection[mcp.Tool], name, server string) string {
	text := fmt.Sprintf("server %q lists no tool %q", server, name)
	if near := config.Nearest(name, tools.Keys()); near != "" {
		return text + fmt.Sprintf("; did you mean \"%s\"?", errors.PeerText(near, maxCell))
	}
	return text + "; see 'mcpclient tools " + server + "'"
}
