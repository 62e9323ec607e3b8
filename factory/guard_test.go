package factory

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial/dialtest"
)

// outside is an MCP server at https://mcp.example.com:port, as it looks from here,
// and a victim in the private network that it tries to lead the client to.
type outside struct {
	server, victim *httptest.Server
	connections    atomic.Int32 // of the victim
	requests       atomic.Int32
	authority      string

	challenge string // resource_metadata; @ is the victim, # is the server itself
	resource  string // its metadata, likewise; or a redirect, if it begins with a scheme
}

func newOutside(t *testing.T, challenge, resource string) *outside {
	t.Helper()
	o := &outside{challenge: challenge, resource: resource}
	o.victim = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.requests.Add(1) }))
	o.victim.Config.ErrorLog = log.New(io.Discard, "", 0)
	o.victim.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			o.connections.Add(1)
		}
	}
	o.victim.StartTLS()
	o.server = httptest.NewUnstartedServer(http.HandlerFunc(o.serve))
	o.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	o.server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	o.server.StartTLS()
	t.Cleanup(func() {
		o.server.Close()
		o.victim.Close()
	})
	o.authority = filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: o.server.Certificate().Raw}
	require.NoError(t, os.WriteFile(o.authority, pem.EncodeToMemory(block), 0o600))
	return o
}

// at fills in the ports.
func (o *outside) at(text string) string {
	_, own, _ := net.SplitHostPort(o.server.Listener.Addr().String())
	_, others, _ := net.SplitHostPort(o.victim.Listener.Addr().String())
	return strings.NewReplacer("@", others, "#", own).Replace(text)
}

func (o *outside) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/mcp":
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+o.at(o.challenge)+`"`)
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasPrefix(o.resource, "https:"):
		http.Redirect(w, r, o.at(o.resource), http.StatusFound)
	case r.URL.Path == "/resource":
		_, _ = io.WriteString(w, o.at(o.resource))
	default:
		http.NotFound(w, r)
	}
}

// R302, R303, P97: a server leads to this machine and to the private network by
// every way it has; what is configured is the operator's.
func TestWhereAServerLeads(t *testing.T) {
	const own, metadata = "https://mcp.example.com:#/resource", `{"resource":"https://mcp.example.com:#/mcp","authorization_servers":["https://as.example.com:@"]}`
	victims := "as.example.com"
	for name, test := range map[string]struct {
		challenge, resource string
		keys                string
		refused             string // the host; empty: the victim is asked
		entry               string
	}{
		"metadata by name":              {"https://as.example.com:@/resource", "", "", victims, ""},
		"metadata at a literal":         {"https://127.0.0.1:@/resource", "", "", "127.0.0.1", ""},
		"metadata at a number":          {"https://2130706433:@/resource", "", "", "2130706433", ""},
		"metadata at localhost":         {"https://localhost:@/resource", "", "", "localhost", ""},
		"metadata on IPv6":              {"https://[::1]:@/resource", "", "", "::1", ""},
		"a redirect":                    {own, "https://as.example.com:@/resource", "", victims, ""},
		"a redirect to a literal":       {own, "https://127.0.0.1:@/resource", "", "127.0.0.1", ""},
		"the authorization server":      {own, metadata, "", victims, ""},
		"allow, another":                {own, metadata, "network: {allow: [sso.example.com, 10.0.0.0/8]}", victims, ""},
		"allow by name":                 {own, metadata, "network: {allow: [as.example.com]}", "", ""},
		"allow by glob":                 {own, metadata, "network: {allow: ['*.example.com']}", "", ""},
		"allow by address":              {own, metadata, "network: {allow: [127.0.0.0/8]}", "", ""},
		"allow_private":                 {own, metadata, "network: {allow_private: true}", "", ""},
		"allow_private, denied":         {own, metadata, "network: {allow_private: true, deny: [as.example.com]}", victims, "as.example.com"},
		"the issuer":                    {own, metadata, "issuer: 'https://as.example.com:@'}", "", ""},
		"the issuer, denied":            {own, metadata, "issuer: 'https://as.example.com:@'}\n    network: {deny: [as.example.com]}", victims, "as.example.com"},
		"an issuer on another port":     {"https://as.example.com:@/resource", "", "issuer: 'https://as.example.com:1'}", victims, ""},
		"the server's own other port":   {"https://mcp.example.com:@/resource", "", "", "", ""},
		"allow for a redirect":          {own, "https://as.example.com:@/resource", "network: {allow: [as.example.com]}", "", ""},
		"deny: the server leads nobody": {"https://as.example.com:@/resource", "", "network: {allow_private: true, deny: [as.example.com]}", victims, "as.example.com"},
	} {
		for _, client := range []string{"own", "resty"} {
			t.Run(name+", "+client, func(t *testing.T) {
				o := newOutside(t, test.challenge, test.resource)
				var options []Option
				resolver, _ := dialtest.Resolver(t, dialtest.Answers{"mcp.example.com": {{"127.0.0.1"}}, "as.example.com": {{"127.0.0.1"}}})
				if client == "resty" {
					transport := &http.Transport{DialContext: (&net.Dialer{Resolver: resolver}).DialContext}
					options = append(options, WithRestyClient(resty.NewWithClient(&http.Client{Transport: transport})))
				}
				f := New(options...)
				f.pool.Resolver = resolver
				defer f.CloseIdle()
				keys := "auth: {grant: client_credentials, client_id: c, client_secret: canary, "
				if strings.HasPrefix(test.keys, "issuer:") {
					keys += test.keys
				} else {
					keys += "}\n    " + test.keys
				}
				made, err := f.Make(section(t, o.at(fmt.Sprintf("servers:\n  s:\n    type: http\n    base_url: https://mcp.example.com:#/mcp\n    tls: {ca_file: '%s'}\n    %s\n", o.authority, keys))))
				require.NoError(t, err)
				defer func() { require.NoError(t, made.Slot.Close()) }()
				_, err = made.Head.Request(t.Context(), "tools/list", nil, nil)
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, errors.KindAuth, failure.Kind, "%v", err)
				assert.NotContains(t, err.Error(), "canary")
				if test.refused == "" {
					require.NotErrorIs(t, err, errors.ErrForbiddenAddress)
					assert.Positive(t, o.requests.Load(), "%v", err)
					return
				}
				refusal, ok := errors.AsType[*errors.ForbiddenAddressError](err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, test.refused, refusal.Host)
				assert.Equal(t, test.entry, refusal.Entry)
				assert.Zero(t, o.requests.Load())
				if client == "own" {
					assert.Zero(t, o.connections.Load())
				}
			})
		}
	}
}
