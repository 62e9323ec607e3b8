package factory

import (
	"sync"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// typeHTTP is streamable HTTP.
const typeHTTP = "http"

// newHTTP is the Constructor of type http: a session over an HTTP link.
func newHTTP(section *config.Section, build Build) (Blueprint, []errors.Fault) {
	cfg, authorization, faults := decodeHTTP(section, build)
	warnings := new(sync.Once)
	open := func(caller Caller) (transporters.Base, error) {
		// An event stream is silent for as long as the tool works.
		options := append(build.HTTP[:len(build.HTTP):len(build.HTTP)],
			httplink.WithMinimumStreamStall(build.Settings.RequestTimeout.Or(0)), httplink.WithWarnings(warnings))
		options = append(options, authorization.options(caller.Principal)...)
		link := withCredentials(httplink.New(build.Server, cfg.Config, options...), caller.Credentials)
		return session.New(build.Server, build.Settings, link, append(build.Session[:len(build.Session):len(build.Session)],
			session.WithPrincipal(caller.Principal),
			session.WithOwnedMessages(),
			build.remembering(typeHTTP, cfg.BaseURL),
			session.WithSessionLostMatch(cfg.SessionLostMatch),
			session.WithCloseTimeout(cfg.CloseTimeoutValue()),
		)...), nil
	}
	return Blueprint{Open: open, IdentityHeaders: cfg.IdentityHeaders, Authorizer: authorization.oauth, Close: authorization.closing()}, faults
}
