package factory

import (
	"context"
	"net/http"
	"sync"
	"time"

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

// authorization is what gets a server's tokens; empty if it needs none.
type authorization struct {
	authorizer *auth.Authorizer
	client     *http.Client // to authorization servers
}

// decodeHTTP reads the keys of an HTTP server, and makes its authorizer if it has
// the section auth.
func decodeHTTP(section *config.Section, build Build) (httpKeys, authorization, []errors.Fault) {
	var keys httpKeys
	faults := section.Decode(&keys)
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
	guard := keys.Auth.Guard(keys.PointerGuard())
	client := &http.Client{Transport: httplink.NewPointerTransport(keys.Config, guard, build.HTTP...)}
	authorizer, err := auth.New(build.Server, keys.BaseURL, *keys.Auth, build.authOptions(keys, client, guard)...)
	if err != nil {
		return keys, authorization{}, []errors.Fault{section.Fault("base_url", err.Error())}
	}
	return keys, authorization{authorizer, client}, nil
}

// authOptions are those of a server's authorizer: the program's own go before
// what is made here.
func (b Build) authOptions(keys httpKeys, client *http.Client, guard dial.Guard) []auth.Option {
	options := []auth.Option{auth.WithLogger(b.Logger), auth.WithGuard(guard), auth.WithHTTPClient(client)}
	if keys.Auth.Store.Path != "" {
		options = append(options, auth.WithStore(&lazyStore{config: keys.Auth.Store}))
	}
	return append(options, b.auth...)
}

// link returns the link's option for a principal; none if there is no authorizer.
func (a authorization) link(principal string) []httplink.Option {
	if a.authorizer == nil {
		return nil
	}
	return []httplink.Option{httplink.WithAuthorizer(a.authorizer.Principal(principal))}
}

// closing returns what ends the authorizer, nil if there is none.
func (a authorization) closing() func() error {
	if a.authorizer == nil {
		return nil
	}
	return func() error {
		err := a.authorizer.Close()
		a.client.CloseIdleConnections()
		return err
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
