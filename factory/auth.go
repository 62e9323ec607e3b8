package factory

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/auth/filestore"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
)

// keyAuth is the section of OAuth within an HTTP server's.
const keyAuth = "auth"

// httpKeys are the keys of the types http and sse.
type httpKeys struct {
	httplink.Config
	Auth *auth.Config `config:"auth"`
}

// String renders the keys without secrets.
func (k httpKeys) String() string { return k.Config.String() }

// decodeHTTP reads the keys of an HTTP server, and makes its authorizer, nil if
// it has no section auth.
func decodeHTTP(section *config.Section, build Build) (httpKeys, *auth.Authorizer, []errors.Fault) {
	var keys httpKeys
	faults := section.Decode(&keys)
	faults = withChecked(faults, keys.Config.Check(section))
	if keys.Auth == nil {
		return keys, nil, faults
	}
	faults = withChecked(faults, keys.Auth.Check(section, keyAuth))
	if len(faults) > 0 {
		return keys, nil, faults
	}
	authorizer, err := auth.New(build.Server, keys.BaseURL, *keys.Auth, build.authOptions(keys)...)
	if err != nil {
		return keys, nil, []errors.Fault{section.Fault("base_url", err.Error())}
	}
	return keys, authorizer, nil
}

// authOptions are those of a server's authorizer: the program's own go before
// what is made here.
func (b Build) authOptions(keys httpKeys) []auth.Option {
	options := []auth.Option{
		auth.WithLogger(b.Logger),
		auth.WithHTTPClient(&http.Client{Transport: b.authTransport(keys)}),
	}
	if keys.Auth.Store.Path != "" {
		options = append(options, auth.WithStore(&lazyStore{config: keys.Auth.Store}))
	}
	return append(options, b.auth...)
}

// authTransport carries requests to authorization servers: the same way out as
// to the server itself, but without its client certificate and name.
func (b Build) authTransport(keys httpKeys) http.RoundTripper {
	if b.resty != nil {
		return b.resty.GetClient().Transport
	}
	return &pooledTransport{pool: b.pool, config: keys.Config}
}

// pooledTransport takes its transport from the pool at each request, since
// making one may read files.
type pooledTransport struct {
	pool   *dial.Pool
	config httplink.Config
}

// RoundTrip implements http.RoundTripper.
func (t *pooledTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	proxy, err := t.config.Proxy.Reveal()
	if err != nil {
		return nil, err
	}
	transport, err := t.pool.Transport(dial.Settings{
		CAFile: t.config.TLS.CAFile, InsecureSkipVerify: t.config.TLS.InsecureSkipVerify, Proxy: proxy,
	})
	if err != nil {
		return nil, err
	}
	return transport.RoundTrip(request)
}

// authorizing returns the link's option for a principal; none if the server has
// no section auth.
func authorizing(authorizer *auth.Authorizer, principal string) []httplink.Option {
	if authorizer == nil {
		return nil
	}
	return []httplink.Option{httplink.WithAuthorizer(authorizer.Principal(principal))}
}

// closing returns what ends an authorizer, nil if there is none.
func closing(authorizer *auth.Authorizer) func() error {
	if authorizer == nil {
		return nil
	}
	return authorizer.Close
}

// WithAuthOptions adds options of every authorizer: interaction with users, a
// store, identity tokens. They take effect for servers with a section auth.
func WithAuthOptions(options ...auth.Option) Option {
	return func(f *TransporterFactory) { f.auth = append(f.auth, options...) }
}

// authSeams are what authorizers are made with.
type authSeams struct {
	auth  []auth.Option
	resty *resty.Client // the user's; nil if there is none
	pool  *dial.Pool
}

// lazyStore opens the folder with its first use, for building does no I/O.
type lazyStore struct {
	config auth.StoreConfig
	once   sync.Once
	store  *filestore.Store
	err    error
}

var _ auth.Store = (*lazyStore)(nil)

func (s *lazyStore) open() error {
	s.once.Do(func() { s.store, s.err = filestore.Open(s.config.Path, s.config.Key) })
	return s.err
}

// Get implements auth.Store.
func (s *lazyStore) Get(ctx context.Context, key auth.Key) ([]byte, bool, error) {
	if err := s.open(); err != nil {
		return nil, false, err
	}
	return s.store.Get(ctx, key)
}

// Put implements auth.Store.
func (s *lazyStore) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	if err := s.open(); err != nil {
		return err
	}
	return s.store.Put(ctx, key, value, expires)
}

// Delete implements auth.Store.
func (s *lazyStore) Delete(ctx context.Context, key auth.Key, old []byte) (bool, error) {
	if err := s.open(); err != nil {
		return false, err
	}
	return s.store.Delete(ctx, key, old)
}
