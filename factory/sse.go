package factory

import (
	"context"
	"sync"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// typeSSE is HTTP+SSE, the transport of 2024-11-05. Servers of type http are
// found to speak it by themselves; the type spares them the question.
const typeSSE = "sse"

// newSSE is the Constructor of type sse: a session over a link that is dialled
// again by the next call when its stream was cut.
func newSSE(section *config.Section, build Build) (Blueprint, []errors.Fault) {
	cfg, authorization, faults := decodeHTTP(section, build)
	warnings := new(sync.Once) // a link is made for each dial
	opening := build.opening()
	open := func(caller Caller) (transporters.Base, error) {
		options := append(build.HTTP[:len(build.HTTP):len(build.HTTP)], httplink.WithWarnings(warnings))
		options = append(options, authorization.options(caller.Principal)...)
		dial := func(context.Context) (transporters.Link, error) {
			return &credentialed{httplink.NewSSEFrom(build.Server, &cfg.Config, options...), caller.Credentials}, nil
		}
		link := supervise.New(build.Server, nil, dial,
			supervise.WithTraits(httplink.SSETraits()),
			supervise.WithLogger(build.Logger),
			supervise.WithConnectTimeout(build.Settings.ConnectTimeout.Or(0)))
		return opening.session(link, caller), nil
	}
	return Blueprint{Open: open, IdentityHeaders: cfg.IdentityHeaders, Authorizer: authorization.oauth, Close: authorization.closing()}, faults
}
