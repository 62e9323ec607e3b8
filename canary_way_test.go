package mcpclient_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
)

// TestNoSecretIsShownOnTheWay: what goes wrong before a server is reached shows no
// secret: names, ports, certificates, files, proxies, middleware; nor do faults of
// the configuration.
func TestNoSecretIsShownOnTheWay(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	// A proxy that refuses to connect, and repeats who asked.
	repeating := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 407 %s\r\nContent-Length: 0\r\n\r\n", r.Header.Get("Proxy-Authorization"))
			_ = conn.Close()
		}
	}))
	t.Cleanup(repeating.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	refused := closed.Addr().String()
	require.NoError(t, closed.Close())
	folder := t.TempDir()
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(folder+"/"+name, []byte(text), 0o600))
		return folder + "/" + name
	}
	for name, test := range map[string]struct {
		lines  func(c *canaries) string
		faulty bool // the configuration, not the way
	}{
		"an unknown name":    {lines: func(*canaries) string { return "base_url: http://no-such-host.invalid/mcp" }},
		"a closed port":      {lines: func(*canaries) string { return "base_url: http://" + refused + "/mcp" }},
		"a foreign issuer":   {lines: func(*canaries) string { return "base_url: " + secure.URL }},
		"TLS to a plain one": {lines: func(*canaries) string { return "base_url: " + strings.Replace(plain.URL, "http:", "https:", 1) }},
		"a closed proxy": {lines: func(c *canaries) string {
			return "base_url: http://mcp.invalid/mcp\n    proxy: http://user:" + url.QueryEscape(c.put("proxy")) + "@" + refused
		}},
		"a repeating proxy": {lines: func(c *canaries) string {
			return "base_url: https://mcp.invalid/mcp\n    proxy: http://user:" + url.QueryEscape(c.put("proxy")) + "@" + strings.TrimPrefix(repeating.URL, "http://")
		}},
		"a socks proxy": {lines: func(c *canaries) string {
			return "base_url: https://mcp.invalid/mcp\n    proxy: socks5://user:" + url.QueryEscape(c.put("proxy")) + "@" + strings.TrimPrefix(plain.URL, "http://")
		}},
		"a key that is none": {lines: func(c *canaries) string {
			return "base_url: " + secure.URL + "\n    tls: {cert_file: '" + write("cert", c.put("certificate")) + "', key_file: '" + write("key", c.put("key")) + "'}"
		}, faulty: true},
		"authorities that are none": {lines: func(c *canaries) string {
			return "base_url: " + secure.URL + "\n    tls: {ca_file: '" + write("ca", c.put("authorities")) + "'}"
		}, faulty: true},
		"a user in the address": {lines: func(c *canaries) string {
			return "base_url: 'https://user:" + url.QueryEscape(c.put("userinfo")) + "@mcp.invalid/'"
		}, faulty: true},
		"a fragment":         {lines: func(c *canaries) string { return "base_url: 'https://mcp.invalid/#" + c.put("fragment") + "'" }, faulty: true},
		"a secret for a URL": {lines: func(c *canaries) string { return "base_url: '" + c.put("address") + "'" }, faulty: true},
		"a proxy that is none": {lines: func(c *canaries) string {
			return "base_url: https://mcp.invalid/\n    proxy: 'ftp://user:" + c.put("proxy") + "@h'"
		}, faulty: true},
		"a secret for a number": {lines: func(*canaries) string { return "base_url: https://mcp.invalid/\n    max_response_bytes: ${CANARY_KEY}" }, faulty: true},
		"a secret for a word":   {lines: func(*canaries) string { return "base_url: https://mcp.invalid/\n    protocol: ${CANARY_KEY}" }, faulty: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCanaries(t)
			t.Setenv("CANARY_KEY", c.put("environment"))
			lines := test.lines(c)
			cfg := parse(t, "servers:\n  a:\n    type: http\n    "+lines+"\n    connect_timeout: 2s\n    token: ${CANARY_KEY}\n    headers: {X-A: '"+c.put("header")+"'}\n")
			user := resty.New().SetAuthToken(c.put("resty token")).SetBasicAuth("user", c.put("resty password")).
				SetQueryParam("api_key", c.put("resty query")).SetDebug(true)
			client, err := mcpclient.New(cfg, c.logger(), mcpclient.WithRestyClient(user))
			require.NoError(t, err)
			defer func() { _ = client.Close() }()
			for _, problem := range client.Problems() {
				c.error("problem", problem)
			}
			connection, err := client.Connect("a")
			c.error("Connect", err)
			if test.faulty {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			_, err = connection.Tools(t.Context())
			require.Error(t, err)
			c.error("Tools", err)
			c.value("connection", connection)
			c.error("Close", client.Close())
			c.logged("on the way")
		})
	}
}
