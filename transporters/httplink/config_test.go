package httplink

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// decode reads a server's section as the factory does.
func decode(t *testing.T, text string) (Config, []errors.Fault) {
	t.Helper()
	file, err := config.Parse("mcp.yaml", []byte("servers:\n  s:\n"+indent(text)))
	require.NoError(t, err)
	section, ok := file.Server("s")
	require.True(t, ok)
	var cfg Config
	faults := section.Decode(&cfg)
	return cfg, append(faults, cfg.Check(section)...)
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}

func TestConfigIsComplete(t *testing.T) {
	cfg, faults := decode(t, `
url: https://api.example.com/mcp?a=b
token: t0
headers: {X-Team: platform, Authorization: Basic abc, Accept: text/plain}
identity_headers: [X-User]
read_timeout: 5s
listen_read_timeout: 60
max_response_bytes: 1024
close_timeout: off
session_lost_match: [gone]
proxy: socks5://user:secret@proxy.example:1080
tls: {server_name: other, min_version: "1.3", insecure_skip_verify: true}
network: {allow_private: true, allow: [sso.corp.example, 10.0.0.0/8], deny: ["*.evil.example"]}
`)
	require.Empty(t, faults)
	assert.Equal(t, "https://api.example.com/mcp?a=b", cfg.BaseURL)
	assert.Equal(t, []string{"X-User"}, cfg.IdentityHeaders)
	assert.EqualValues(t, 1024, cfg.maxResponseBytes())
	assert.Zero(t, cfg.CloseTimeoutValue())
	assert.Equal(t, Network{AllowPrivate: true, Allow: []string{"sso.corp.example", "10.0.0.0/8"}, Deny: []string{"*.evil.example"}}, cfg.Network)
	link := New("s", cfg)
	assert.Equal(t, 5*time.Second, link.readTimeout)
	assert.Equal(t, time.Minute, link.listenReadTimeout)
	shut(t, link)
	for _, secret := range []string{"t0", "secret", "abc", "a=b"} {
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", cfg, cfg, cfg, cfg), secret)
	}
}

// The defaults of the table in the documentation, the same for a file and for a
// Go struct.
func TestConfigDefaults(t *testing.T) {
	decoded, faults := decode(t, "base_url: https://example.com")
	require.Empty(t, faults)
	for name, cfg := range map[string]Config{"file": decoded, "struct": {BaseURL: "https://example.com"}} {
		link := New("s", cfg)
		assert.Equal(t, 30*time.Second, link.readTimeout, name)
		assert.Zero(t, link.listenReadTimeout, name)
		assert.EqualValues(t, 32<<20, link.maxBytes, name)
		assert.Equal(t, 3*time.Second, cfg.CloseTimeoutValue(), name)
		settings, err := cfg.dialSettings()
		require.NoError(t, err)
		assert.Zero(t, settings, name)
		shut(t, link)
	}
}

func TestConfigFaults(t *testing.T) {
	folder := t.TempDir()
	noCertificate := filepath.Join(folder, "empty.pem")
	require.NoError(t, os.WriteFile(noCertificate, nil, 0o600))
	const valid = "base_url: https://example.com\n"
	for name, test := range map[string]struct {
		text string
		key  string
		want string
	}{
		"no URL":              {"token: x", "base_url", ""},
		"relative URL":        {"base_url: /mcp/canary", "base_url", "not an absolute HTTP URL: it has to begin with https:// or http://; allowed: an absolute URL"},
		"under its alias":     {"url: ws://example.com/mcp?key=canary", "url", "found ws://example.com/mcp;"},
		"no host":             {"base_url: 'http:///mcp'", "base_url", "no host"},
		"opaque":              {"base_url: 'http:example.com'", "base_url", "not an absolute"},
		"user and password":   {"base_url: https://user:canary@example.com", "base_url", "use token or headers"},
		"fragment":            {"base_url: 'https://example.com/#canary'", "base_url", "a fragment is never sent"},
		"unreadable":          {"base_url: 'https://exa mple.com/canary'", "base_url", "not a URL"},
		"token with a break":  {valid + `token: "canary\r\nX: 1"`, "token", "line breaks"},
		"header with a break": {valid + `headers: {X-A: "canary\nX: 1"}`, "headers.X-A", "line breaks"},
		"header name":         {valid + `headers: {"X A": canary}`, "headers.X A", "not a header name; found X A"},
		"reserved":            {valid + "headers: {mcp-session-id: canary}", "headers.mcp-session-id", "set by the protocol"},
		"mirrored":            {valid + "headers: {Mcp-Param-Region: canary}", "headers.Mcp-Param-Region", "set by the protocol"},
		"framing":             {valid + "headers: {Transfer-Encoding: canary}", "headers.Transfer-Encoding", "set by the protocol"},
		"twice":               {valid + "headers: {X-A: canary, x-a: canary}", "headers.x-a", "the same header as X-A"},
		"identity header":     {valid + "identity_headers: ['X User']", "identity_headers", "not a header name"},
		"no bytes":            {valid + "max_response_bytes: 0", "max_response_bytes", "more than 0"},
		"negative bytes":      {valid + "max_response_bytes: -1", "max_response_bytes", "more than 0; found -1"},
		"empty match":         {valid + "session_lost_match: ['']", "session_lost_match", "match every answer"},
		"zero timeout":        {valid + "read_timeout: 0", "read_timeout", ""},
		"proxy scheme":        {valid + "proxy: ftp://user:canary@proxy", "proxy", "socks5"},
		"proxy word":          {valid + "proxy: canary", "proxy", "socks5"},
		"proxy: a known word": {valid + "proxy: direct", "proxy", "env, off, or a URL of scheme"},
		"TLS version":         {valid + `tls: {min_version: "1.1"}`, "tls.min_version", "found 1.1; allowed: 1.2, 1.3"},
		"CA file":             {valid + "tls: {ca_file: /nonexistent}", "tls.ca_file", "/nonexistent"},
		"empty CA file":       {valid + "tls: {ca_file: " + noCertificate + "}", "tls.ca_file", "no certificate in PEM form"},
		"half a certificate":  {valid + "tls: {cert_file: " + noCertificate + "}", "tls.cert_file", "both are needed"},
		"empty certificate":   {valid + "tls: {cert_file: " + noCertificate + ", key_file: " + noCertificate + "}", "tls.cert_file", "PEM"},
		"unknown key":         {valid + "read_timout: 5s", "read_timout", `did you mean "read_timeout"`},
		"allow: not a host":   {valid + "network: {allow: ['https://a.example']}", "network.allow", "neither a host nor a CIDR; found https://a.example; allowed: a host such as"},
		"deny: a glob":        {valid + "network: {deny: [a.example, '10.*']}", "network.deny", "a range of addresses is written as a CIDR; found 10.*"},
		"denied by name":      {"base_url: https://api.example.com/canary\nnetwork: {deny: ['*.example.com']}", "base_url", "network.deny forbids this host"},
		"denied by address":   {"url: http://[::ffff:10.0.0.7]:8080/canary\nnetwork: {allow: [10.0.0.7], allow_private: true, deny: [10.0.0.0/8]}", "url", "network.deny forbids this host"},
		"nested unknown key":  {valid + "tls: {cafile: x}", "tls.cafile", `did you mean "tls.ca_file"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := decode(t, test.text)
			require.Len(t, faults, 1)
			assert.Equal(t, test.key, faults[0].Key)
			assert.Contains(t, faults[0].String(), test.want)
			assert.NotContains(t, faults[0].String(), "canary")
			assert.Equal(t, "s", faults[0].Server)
			assert.Positive(t, faults[0].Line)
		})
	}
}

// An HTTPS server with a private authority and a client's certificate.
func TestTLSFiles(t *testing.T) {
	server, files := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Len(t, r.TLS.PeerCertificates, 1)
		assert.Equal(t, "HTTP/2.0", r.Proto)
		reply(w, 200, "application/json", answer7)
	})
	cfg, faults := decode(t, "base_url: "+server+"\ntls: {ca_file: "+files.authority+", cert_file: "+files.certificate+", key_file: "+files.key+"}")
	require.Empty(t, faults)
	link, _ := open(t, cfg)
	for range 3 {
		got, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		assert.Equal(t, answer7, string(got.Message.Raw))
	}
	cfg.TLS.ServerName = "elsewhere.example"
	wrong, _ := open(t, cfg)
	_, err := wrong.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
	assert.ErrorContains(t, err, "elsewhere.example")
}

// Names and versions, as they are configured: the name is asked for and expected,
// and a server that is too old is told so before anything is sent.
func TestTLSNamesAndVersions(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Asked-For", r.TLS.ServerName)
		reply(w, 200, "application/json", answer7)
	}))
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	_, files := serveTLS(t, func(http.ResponseWriter, *http.Request) {}) // the same certificate
	for name, test := range map[string]struct{ keys, want, asked string }{
		"the URL's address":    {"ca_file: " + files.authority, "", ""},
		"a configured name":    {"ca_file: " + files.authority + ", server_name: api.example.com", "", "api.example.com"},
		"another name":         {"ca_file: " + files.authority + ", server_name: api.example.org", "api.example.org", ""},
		"version 1.2":          {"ca_file: " + files.authority + `, min_version: "1.2"`, "", ""},
		"version 1.3":          {"ca_file: " + files.authority + `, min_version: "1.3"`, "protocol version", ""},
		"an unknown authority": {"min_version: '1.2'", "unknown authority", ""},
		"any certificate":      {"insecure_skip_verify: true, server_name: api.example.org", "", "api.example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, faults := decode(t, "base_url: "+server.URL+"\ntls: {"+test.keys+"}")
			require.Empty(t, faults)
			link, _ := open(t, cfg)
			got, err := link.Exchange(t.Context(), call(), &sink{})
			if test.want != "" {
				require.ErrorIs(t, err, errors.ErrNotSent)
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.asked, got.Header.Get("X-Asked-For"))
		})
	}
}
