package factory

import (
	"net/http"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/auth/bearer"
	"github.com/mcp-client-go/mcpclient/auth/filestore"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
)

// keyAuth is the section of authorization within an HTTP server's.
const keyAuth = "auth"

// httpKeys are the keys of the types http and sse.
type httpKeys struct {
	httplink.Config
	Auth *auth.Config `config:"auth"`
}

// String renders the keys without secrets.
func (k httpKeys) String() string { return k.Config.String() }

// authorization is what gets the tokens of a server: one of the two, or neither
// where the configuration wants none.
type authorization struct {
	oauth  *auth.Authorizer
	bearer *bearer.Source
	client *http.Client // to authorization servers, of oauth
}

// decodeHTTP reads the keys of an HTTP server, and makes what gets its tokens.
func decodeHTTP(section *config.Section, build Build) (*httpKeys, authorization, []errors.Fault) {
	keys := &httpKeys{}
	faults := section.Decode(keys)
	faults = withChecked(faults, keys.Config.Check(section))
	if keys.Auth == nil {
		return keys, authorization{}, faults
	}
	faults = withChecked(faults, keys.Auth.Check(section, keyAuth))
	if keys.IsSocket() {
		fault := section.Fault(keyAuth, "a server on a Unix socket has no URL that an authorization server could know it by; give it a token, or headers")
		faults = withChecked(faults, []errors.Fault{fault})
	}
	if len(faults) > 0 {
		return keys, authorization{}, faults
	}
	made, err := build.authorization(section, *keys)
	if err != nil {
		return keys, authorization{}, []errors.Fault{section.Fault("base_url", err.Error())}
	}
	return keys, made, nil
}

func (b Build) authorization(section *config.Section, keys httpKeys) (made authorization, err error) {
	switch keys.Auth.Kind() {
	case auth.TypeNone:
	case auth.TypeBearer:
		made.bearer, err = bearer.New(b.Server, keys.BaseURL, keys.Auth.Settings,
			bearer.WithLogger(b.Logger), bearer.WithSecrets(section.Referenced(keyAuth+".token_command")...))
	default:
		guard := keys.Auth.Guard(keys.PointerGuard())
		made.client = &http.Client{Transport: httplink.NewPointerTransport(keys.Config, guard, b.HTTP...)}
		made.oauth, err = auth.New(b.Server, keys.BaseURL, *keys.Auth, b.authOptions(keys, made.client, guard)...)
	}
	return made, err
}

// authOptions are those of a server's authorizer: the program's own go before
// what is made here.
func (b Build) authOptions(keys httpKeys, client *http.Client, guard dial.Guard) []auth.Option {
	options := []auth.Option{
		auth.WithLogger(b.Logger), auth.WithFallbackStore(b.tokens), auth.WithGuard(guard), auth.WithHTTPClient(client),
	}
	if store := keys.Auth.Store; store.Path != "" {
		options = append(options, auth.WithStore(filestore.OnFirstUse(store.Path, store.Key)))
	}
	return append(options, b.auth...)
}

// options returns the link's options for a principal.
func (a authorization) options(principal string) []httplink.Option {
	switch {
	case a.oauth != nil:
		return []httplink.Option{httplink.WithAuthorizer(a.oauth.Principal(principal))}
	case a.bearer != nil:
		return []httplink.Option{httplink.WithAuthorizer(a.bearer)}
	default:
		return nil
	}
}

// closing returns what ends it, nil if there is nothing.
func (a authorization) closing() func() error {
	switch {
	case a.oauth != nil:
		return func() error {
			err := a.oauth.Close()
			a.client.CloseIdleConnections()
			return err
		}
	case a.bearer != nil:
		return a.bearer.Close
	default:
		return nil
	}
}

// WithAuthOptions adds options of every authorizer: interaction with users, a
// store, identity tokens. They take effect for servers with a section auth.
func WithAuthOptions(options ...auth.Option) Option {
	return func(f *TransporterFactory) { f.auth = append(f.auth, options...) }
}

// authSeams are what authorizers are made with.
type authSeams struct {
	auth []auth.Option
	// tokens is for authorizers without a configured store: what is in memory
	// outlives the replacement of a server's section.
	tokens auth.Store
}
