package discovery

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site serves documents by path; {origin} in them is its own.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	header http.Header
}

func serve(t *testing.T, documents map[string]string) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.RequestURI())
		s.header = r.Header
		s.mu.Unlock()
		document, ok := documents[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(document, "{origin}", s.URL))
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.Client().CloseIdleConnections)
	return s
}

func (s *site) finder(t *testing.T, path string) *Finder {
	t.Helper()
	u, err := url.Parse(s.URL + path)
	require.NoError(t, err)
	return NewFinder(s.Client(), u)
}

func TestResourcePlaces(t *testing.T) { // R238
	const document = `{"resource":"{origin}/mcp","authorization_servers":["https://as.example.com"]}`
	for name, test := range map[string]struct {
		challenged string
		documents  []string
		asked      []string
	}{
		"challenge": {"/own/place", []string{"/own/place", "/.well-known/oauth-protected-resource"}, []string{"/own/place"}},
		"path":      {"", []string{"/.well-known/oauth-protected-resource/mcp"}, []string{"/.well-known/oauth-protected-resource/mcp"}},
		"root": {"", []string{"/.well-known/oauth-protected-resource"},
			[]string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"}},
		"challenge that leads nowhere": {"/gone", []string{"/.well-known/oauth-protected-resource/mcp"},
			[]string{"/gone", "/.well-known/oauth-protected-resource/mcp"}},
		"nowhere": {"", nil, []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"}},
	} {
		t.Run(name, func(t *testing.T) {
			documents := map[string]string{}
			for _, place := range test.documents {
				documents[place] = document
			}
			s := serve(t, documents)
			challenged := test.challenged
			if challenged != "" {
				challenged = s.URL + challenged
			}
			found, err := s.finder(t, "/mcp").Resource(t.Context(), challenged, "")
			assert.Equal(t, test.asked, s.asked)
			if test.documents == nil {
				require.ErrorIs(t, err, ErrNotFound)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, s.URL+"/mcp", found.Resource)
		})
	}
}

func TestResourceMustMatch(t *testing.T) { // R239, P88
	const server = "https://mcp.example.com/team/mcp"
	for identifier, want := range map[string]bool{
		server:                                 true,
		server + "/":                           true,
		"HTTPS://MCP.example.com:443/team/mcp": true,
		"https://mcp.example.com/team":         true,
		"https://mcp.example.com":              true,
		"https://mcp.example.com/":             true,
		"https://mcp.example.com/team/mcp/x":   false,
		"https://mcp.example.com/tea":          false,
		"https://evil.example.com/team/mcp":    false,
		"https://mcp.example.com.evil/":        false,
		"http://mcp.example.com/team/mcp":      false,
		"https://mcp.example.com:444/team/mcp": false,
		"https://u@mcp.example.com/team/mcp":   false,
		"https://mcp.example.com/team/mcp#x":   false,
		"https://mcp.example.com/team/mcp?x=y": false,
		"":                                     false,
	} {
		u, err := url.Parse(server)
		require.NoError(t, err)
		assert.Equal(t, want, covers(identifier, u), identifier)
	}
}

func TestResourceThatLies(t *testing.T) {
	for name, test := range map[string]struct {
		document, expected, want string
	}{
		"another resource":        {`{"resource":"https://evil.example.com/mcp","authorization_servers":["x"]}`, "", "https://evil.example.com/mcp"},
		"not the configured one":  {`{"resource":"{origin}/mcp","authorization_servers":["x"]}`, "urn:ours", "urn:ours"},
		"no authorization server": {`{"resource":"{origin}/mcp"}`, "", "names no authorization server"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, map[string]string{"/.well-known/oauth-protected-resource/mcp": test.document})
			_, err := s.finder(t, "/mcp").Resource(t.Context(), "", test.expected)
			require.ErrorIs(t, err, errors.ErrAuthorizationDiscovery)
			require.ErrorContains(t, err, test.want)
		})
	}
	s := serve(t, map[string]string{"/.well-known/oauth-protected-resource/mcp": `{"resource":"urn:ours","authorization_servers":["x"]}`})
	_, err := s.finder(t, "/mcp").Resource(t.Context(), "", "urn:ours")
	require.NoError(t, err)
	_, err = s.finder(t, "/mcp").Resource(t.Context(), "file:///etc/passwd", "")
	require.ErrorIs(t, err, errors.ErrAuthorizationDiscovery)
}

func TestWebPagesAreNoMetadata(t *testing.T) {
	s := serve(t, map[string]string{
		"/.well-known/oauth-protected-resource/mcp":      "<html>",
		"/.well-known/oauth-protected-resource":          `["no object"]`,
		"/.well-known/oauth-authorization-server/tenant": "<html>",
		"/.well-known/openid-configuration/tenant":       `{"issuer":"{origin}/tenant","token_endpoint":"{origin}/t"}`,
	})
	_, err := s.finder(t, "/mcp").Resource(t.Context(), "", "")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = s.finder(t, "/mcp").Server(t.Context(), s.URL+"/tenant")
	require.NoError(t, err)
}

func TestServerPlaces(t *testing.T) { // R240
	for name, test := range map[string]struct {
		issuer string
		at     string
		asked  []string
	}{
		"root":              {"", "/.well-known/oauth-authorization-server", []string{"/.well-known/oauth-authorization-server"}},
		"root, OIDC":        {"", "/.well-known/openid-configuration", []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"}},
		"inserted":          {"/t", "/.well-known/oauth-authorization-server/t", []string{"/.well-known/oauth-authorization-server/t"}},
		"inserted, OIDC":    {"/t", "/.well-known/openid-configuration/t", []string{"/.well-known/oauth-authorization-server/t", "/.well-known/openid-configuration/t"}},
		"appended, OIDC":    {"/t", "/t/.well-known/openid-configuration", []string{"/.well-known/oauth-authorization-server/t", "/.well-known/openid-configuration/t", "/t/.well-known/openid-configuration"}},
		"never at the root": {"/t", "", []string{"/.well-known/oauth-authorization-server/t", "/.well-known/openid-configuration/t", "/t/.well-known/openid-configuration"}},
	} {
		t.Run(name, func(t *testing.T) {
			document := fmt.Sprintf(`{"issuer":"{origin}%s","token_endpoint":"{origin}/token"}`, test.issuer)
			s := serve(t, map[string]string{test.at: document})
			found, err := s.finder(t, "/mcp").Server(t.Context(), s.URL+test.issuer)
			assert.Equal(t, test.asked, s.asked)
			if test.at == "" {
				require.ErrorIs(t, err, ErrNotFound)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, s.URL+test.issuer, found.Issuer)
		})
	}
}

func TestServersThatLie(t *testing.T) { // R242, R257, R304, P89
	for name, test := range map[string]struct{ document, want string }{
		"another issuer": {`{"issuer":"https://evil.example.com","token_endpoint":"{origin}/t"}`, "of the issuer"},
		"a slash more":   {`{"issuer":"{origin}/","token_endpoint":"{origin}/t"}`, "of the issuer"},
		"no issuer":      {`{"token_endpoint":"{origin}/t"}`, "of the issuer"},
		"no token":       {`{"issuer":"{origin}"}`, "no token_endpoint"},
		"plain http":     {`{"issuer":"{origin}","token_endpoint":"http://as.example.com/t"}`, "only https"},
		"script":         {`{"issuer":"{origin}","token_endpoint":"{origin}/t","authorization_endpoint":"javascript:alert(1)"}`, "authorization_endpoint"},
		"file":           {`{"issuer":"{origin}","token_endpoint":"{origin}/t","registration_endpoint":"file:///x"}`, "registration_endpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, map[string]string{"/.well-known/oauth-authorization-server": test.document})
			_, err := s.finder(t, "/mcp").Server(t.Context(), s.URL)
			require.ErrorIs(t, err, errors.ErrAuthorizationDiscovery)
			require.ErrorContains(t, err, test.want)
		})
	}
	s := serve(t, nil)
	for _, issuer := range []string{"", "https://as.example.com?x", "urn:x", "http://as.example.com"} {
		_, err := s.finder(t, "/mcp").Server(t.Context(), issuer)
		require.ErrorIs(t, err, errors.ErrAuthorizationDiscovery, issuer)
	}
	assert.Empty(t, s.asked)
}

func TestOwnServer(t *testing.T) { // R244, P100
	s := serve(t, map[string]string{"/.well-known/oauth-authorization-server": `{"issuer":"{origin}","token_endpoint":"{origin}/x/token"}`})
	found, err := s.finder(t, "/mcp").OwnServer(t.Context())
	require.NoError(t, err)
	assert.Equal(t, s.URL+"/x/token", found.TokenEndpoint)
	assert.False(t, found.Assumed)
	assert.Equal(t, "2025-03-26", s.header.Get("Mcp-Protocol-Version"))

	s = serve(t, nil)
	found, err = s.finder(t, "/mcp").OwnServer(t.Context())
	require.NoError(t, err)
	assert.Equal(t, s.URL+"/authorize", found.AuthorizationEndpoint)
	assert.Equal(t, s.URL+"/token", found.TokenEndpoint)
	assert.Equal(t, s.URL+"/register", found.RegistrationEndpoint)
	require.NoError(t, found.CheckPKCE())

	s = serve(t, map[string]string{"/.well-known/oauth-authorization-server": `{"issuer":"https://evil.example.com","token_endpoint":"{origin}/x/token"}`})
	_, err = s.finder(t, "/mcp").OwnServer(t.Context())
	require.ErrorIs(t, err, errors.ErrAuthorizationDiscovery)

	u, _ := url.Parse("http://mcp.example.com/mcp")
	_, err = NewFinder(http.DefaultClient, u).OwnServer(t.Context())
	require.ErrorContains(t, err, "only https")
}

func TestCheckPKCE(t *testing.T) { // R255
	require.NoError(t, (&Server{CodeChallengeMethods: []string{"plain", "S256"}}).CheckPKCE())
	require.ErrorContains(t, (&Server{CodeChallengeMethods: []string{"plain"}}).CheckPKCE(), "S256")
	require.ErrorIs(t, (&Server{}).CheckPKCE(), errors.ErrAuthorizationDiscovery)
}

func TestIdentifier(t *testing.T) { // R262
	for text, want := range map[string]string{
		"HTTPS://MCP.Example.com:443/Mcp/": "https://mcp.example.com/Mcp",
		"http://localhost:80":              "http://localhost",
		"https://a.example/m?t=1":          "https://a.example/m?t=1",
	} {
		u, err := url.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, want, Identifier(u))
	}
}
