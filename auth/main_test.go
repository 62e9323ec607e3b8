package auth

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/auth/bearer"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// defaults are what an empty section auth comes to.
func defaults(change func(*Config)) Config {
	cfg := Config{
		Settings:   bearer.Settings{Timeout: config.Of(bearer.DefaultTimeout), Lifetime: config.Off()},
		ClientName: "mcpclient", DynamicRegistration: true, ConsentTimeout: config.Of(defaultConsentTimeout),
		RedirectURL: DefaultRedirectURL, OfflineAccess: true, DPoP: DPoPAuto,
	}
	if change != nil {
		change(&cfg)
	}
	return cfg
}

// authorizer is one for the world's resource, which ends with the test.
func authorizer(t *testing.T, w *authtest.World, cfg Config, options ...Option) *Authorizer {
	t.Helper()
	a, err := New("files", w.Endpoint(), cfg, append([]Option{WithHTTPClient(w.Client)}, options...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// agreeing has the world's user agree to everything.
func agreeing(w *authtest.World) Option {
	return WithInteraction(func(ctx context.Context, request AuthorizationRequest) (url.Values, error) {
		return w.Consent(ctx, request.URL)
	})
}

// login authorizes a principal in two halves.
func login(t *testing.T, w *authtest.World, a *Authorizer, principal string) {
	t.Helper()
	flow, err := a.Begin(t.Context(), principal)
	require.NoError(t, err)
	query, err := w.Consent(t.Context(), flow.URL)
	require.NoError(t, err)
	require.NoError(t, a.Finish(t.Context(), principal, query))
}

func secret(text string) config.Secret { return config.LiteralSecret(text) }

// served makes a call that must be served.
func served(t *testing.T, w *authtest.World, p *Principal, path string) {
	t.Helper()
	status, err := w.Call(t.Context(), p, path)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
}

// clock is one that a test sets.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }
