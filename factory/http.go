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
	opening := &httpOpening{build.opening(), &cfg.Config, build.HTTP, authorization, sync.Once{}}
	return Blueprint{Open: opening.open, IdentityHeaders: cfg.IdentityHeaders, Authorizer: authorization.oauth, Close: authorization.closing()}, faults
}

// httpOpening opens the bases of one server. Of what the section and the factory
// say it holds on to what that takes, and no more: most servers of a large
// configuration are never used.
type httpOpening struct {
	opening
	cfg           *httplink.Config
	options       []httplink.Option
	authorization authorization
	warnings      sync.Once
}

// open is a BaseFunc.
func (o *httpOpening) open(caller Caller) (transporters.Base, error) {
	// An event stream is silent for as long as the tool works.
	options := append(o.options[:len(o.options):len(o.options)],
		httplink.WithMinimumStreamStall(o.settings.RequestTimeout.Or(0)), httplink.WithWarnings(&o.warnings))
	options = append(options, o.authorization.options(caller.Principal)...)
	link := withCredentials(httplink.NewFrom(o.server, o.cfg, options...), caller.Credentials)
	return o.session(link, caller,
		o.remembering(typeHTTP, o.cfg.BaseURL),
		session.WithSessionLostMatch(o.cfg.SessionLostMatch),
		session.WithCloseTimeout(o.cfg.CloseTimeoutValue()),
	), nil
}
