package doctor

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// examineYAML examines the one server of a configuration.
func examineYAML(t *testing.T, server string) map[string]Check {
	t.Helper()
	cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  x: "+server+"\n"))
	require.NoError(t, err)
	section, found := cfg.Server("x")
	require.True(t, found)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	checks := Examine(t.Context(), Patient{
		Section: section, Faults: factory.New().Check(section), Login: "mcpclient login x",
		Connect: func() (*mcpclient.Connection, error) { return client.Connect("x") },
	})
	byName := map[string]Check{}
	for _, check := range checks {
		byName[check.Name] = check
	}
	require.Len(t, byName, len(checks), "each check once")
	return byName
}

func requireCheck(t *testing.T, checks map[string]Check, name string, status Status, detail, advice string) {
	t.Helper()
	check, found := checks[name]
	require.True(t, found, "%s is not among %v", name, checks)
	assert.Equal(t, status, check.Status, check.Detail)
	assert.Contains(t, check.Detail, detail)
	assert.Contains(t, check.Advice, advice)
	assert.Equal(t, status != OK, check.Advice != "", "advice where it is needed: %v", check)
}

func TestConfiguration(t *testing.T) {
	checks := examineYAML(t, "{type: stdio, comand: [x]}")
	requireCheck(t, checks, "configuration", Failed, `did you mean "command"?`, "correct the configuration")
	assert.Len(t, checks, 1, "nothing is started")
	assert.True(t, IsAnyFailed([]Check{{Status: OK}, checks["configuration"]}))
	assert.False(t, IsAnyFailed([]Check{{Status: OK}, {Status: Warning}}))
}

func TestProcesses(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bin", "quits"), []byte("#!/bin/sh\necho lost my way >&2\nexit 3\n"), 0o755))
	for name, test := range map[string]struct {
		server, check  string
		detail, advice string
	}{
		"not in the PATH":        {"{type: stdio, command: [no-such-program]}", "program", "no-such-program is in no folder of the PATH: ", "install no-such-program"},
		"no PATH":                {"{type: stdio, command: [sh], inherit_env: none}", "program", "the process gets no PATH", "give PATH under env"},
		"an empty PATH":          {"{type: stdio, command: [sh], env: {PATH: /nowhere}}", "program", "the PATH: /nowhere", ""},
		"a path that is not":     {"{type: stdio, command: [/no/such/program]}", "program", "/no/such/program does not exist", "correct command"},
		"a folder":               {"{type: stdio, command: [" + folder + "/bin]}", "program", "is a folder", ""},
		"not executable":         {"{type: stdio, command: [" + plain + "]}", "program", "is not executable", "chmod +x"},
		"relative to the folder": {"{type: stdio, command: [./none], cwd: " + folder + "}", "program", folder + "/none does not exist", ""},
		"no folder":              {"{type: stdio, command: [sh], cwd: /no/such/folder}", "working directory", "/no/such/folder does not exist", "correct cwd"},
		"a file as folder":       {"{type: stdio, command: [sh], cwd: " + plain + "}", "working directory", "is no folder", ""},
		"it quits":               {"{type: stdio, command: [quits], env: {PATH: '" + folder + "/bin:/bin:/usr/bin'}}", "handshake", "lost my way", "run the command by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			checks := examineYAML(t, test.server)
			check, found := checks[test.check]
			require.True(t, found, checks)
			assert.Equal(t, Failed, check.Status)
			assert.Contains(t, check.Detail, test.detail)
			assert.Contains(t, check.Advice, test.advice)
			assert.NotContains(t, checks, "latency", "what makes no sense is left out")
		})
	}
	checks := examineYAML(t, "{type: stdio, command: [quits], cwd: "+folder+", env: {PATH: '"+folder+"/bin:/bin'}}")
	requireCheck(t, checks, "program", OK, folder+"/bin/quits", "")
	requireCheck(t, checks, "working directory", OK, folder, "")
}

func TestAHealthyServer(t *testing.T) {
	checks := examineYAML(t, "{type: http, url: '"+mcptest.StartHTTP(t, mcptest.NewDemoServer())+"'}")
	requireCheck(t, checks, "name", OK, "127.0.0.1 is an address", "")
	requireCheck(t, checks, "connection", OK, " answers", "")
	requireCheck(t, checks, "clock", OK, "differs by less than", "")
	requireCheck(t, checks, "handshake", OK, "protocol 2026-07-28 (modern)", "")
	requireCheck(t, checks, "latency", OK, " ms (of 5, ", "")
	requireCheck(t, checks, "tools", OK, "5 listed", "")
	assert.NotContains(t, checks, "certificate")

	checks = examineYAML(t, "{type: http, url: '"+mcptest.StartHTTP(t, mcptest.NewDemoServer(mcptest.LegacyOnly()))+"'}")
	requireCheck(t, checks, "handshake", OK, "protocol 2025-11-25 (legacy)", "")
}

// What a server sends after its answer to HEAD goes nowhere: least of all to the
// log of the program.
func TestAServerThatGoesOnTalking(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Read(make([]byte, 1<<10))
			_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n: noise\n\n")
			time.Sleep(50 * time.Millisecond)
			_ = connection.Close()
		}
	}()
	defer func() { require.NoError(t, listener.Close()) }()
	checks := examineYAML(t, "{type: http, connect_timeout: 1s, url: 'http://"+listener.Addr().String()+"/mcp'}")
	requireCheck(t, checks, "clock", OK, "does not tell the time", "")
	assert.Empty(t, logged.String())
}

func TestSocketsThatCannotBeReached(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	requireCheck(t, examineYAML(t, "{type: http, url: 'unix://"+socket+"#/mcp'}"), "handshake", Failed, "no such file", "the socket is not there")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	requireCheck(t, examineYAML(t, "{type: http, url: 'unix://"+socket+"#/mcp'}"), "handshake", Failed, "connection refused", "nobody listens there")
}

func TestEndpointsThatCannotBeReached(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	checks := examineYAML(t, "{type: http, url: 'http://"+listener.Addr().String()+"/mcp'}")
	requireCheck(t, checks, "connection", Failed, "connection refused", "is the server running")
	assert.NotContains(t, checks, "handshake")

	checks = examineYAML(t, "{type: http, url: 'http://no-such-host.invalid/mcp'}")
	requireCheck(t, checks, "name", Failed, "no-such-host.invalid cannot be resolved", "check the host")
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestEndpointsThatAreNoServers(t *testing.T) {
	page := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>hello</html>") })
	requireCheck(t, examineYAML(t, "{type: http, url: '"+page+"'}"), "handshake", Failed, "", "check the path of base_url")

	missing := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "nothing here", http.StatusNotFound) })
	requireCheck(t, examineYAML(t, "{type: http, url: '"+missing+"'}"), "handshake", Failed, "404", "check the path of base_url")

	down := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "bad gateway", http.StatusBadGateway) })
	requireCheck(t, examineYAML(t, "{type: http, url: '"+down+"'}"), "handshake", Failed, "502", "the server is in trouble")

	closed := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "who are you", http.StatusUnauthorized)
	})
	requireCheck(t, examineYAML(t, "{type: http, url: '"+closed+"'}"), "handshake", Failed, "", "mcpclient login x")
}

func TestClocks(t *testing.T) {
	for offset, want := range map[time.Duration]Status{0: OK, 20 * time.Second: OK, time.Hour: Warning, -time.Hour: Warning} {
		server := mcptest.NewDemoServer()
		t.Cleanup(server.Close)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", time.Now().Add(offset).UTC().Format(http.TimeFormat))
			server.Handler().ServeHTTP(w, r)
		})
		assert.Equal(t, want, examineYAML(t, "{type: http, url: '"+url+"'}")["clock"].Status, offset)
	}
}

// certificateFor makes a certificate that signs itself.
func certificateFor(t *testing.T, host string, until time.Time) (pair tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.DNSNames, template.IPAddresses = nil, []net.IP{ip}
	}
	raw, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600))
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, file
}

func TestCertificates(t *testing.T) {
	year := time.Now().Add(365 * 24 * time.Hour)
	for name, test := range map[string]struct {
		host           string
		until          time.Time
		tls            string // FILE is the authority
		status         Status
		detail, advice string
	}{
		"valid":        {"127.0.0.1", year, "ca_file: FILE", OK, "TLS 1.3, for 127.0.0.1 by test authority, until " + year.UTC().Format(time.DateOnly), ""},
		"ends soon":    {"127.0.0.1", time.Now().Add(24 * time.Hour), "ca_file: FILE", Warning, "until ", "have it renewed"},
		"expired":      {"127.0.0.1", time.Now().Add(-time.Hour), "ca_file: FILE", Failed, "expired", "have it renewed"},
		"unknown":      {"127.0.0.1", year, "", Failed, "unknown authority", "tls.ca_file"},
		"another name": {"example.com", year, "ca_file: FILE", Failed, "", "tls.server_name"},
		"named":        {"example.com", year, "ca_file: FILE, server_name: example.com", OK, "for example.com", ""},
		"unverified":   {"example.com", year, "insecure_skip_verify: true", Warning, "not verified", "remove tls.insecure_skip_verify"},
	} {
		t.Run(name, func(t *testing.T) {
			pair, file := certificateFor(t, test.host, test.until)
			mcpServer := mcptest.NewDemoServer()
			t.Cleanup(mcpServer.Close)
			server := httptest.NewUnstartedServer(mcpServer.Handler())
			server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
			server.Config.ErrorLog = discard()
			server.StartTLS()
			t.Cleanup(server.Close)
			checks := examineYAML(t, "{type: http, url: '"+server.URL+"', tls: {"+strings.ReplaceAll(test.tls, "FILE", "'"+file+"'")+"}}")
			requireCheck(t, checks, "certificate", test.status, test.detail, test.advice)
			_, reached := checks["handshake"]
			assert.Equal(t, test.status != Failed, reached)
		})
	}
}

func TestAProxyIsTold(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	checks := examineYAML(t, "{type: http, url: 'https://example.com/mcp', proxy: 'http://user:secret@"+address+"'}")
	requireCheck(t, checks, "proxy", OK, "through "+address, "")
	requireCheck(t, checks, "connection", Failed, address, "is the server running")
	encoded, err := json.Marshal(checks)
	require.NoError(t, err)
	assert.NotContains(t, string(encoded), "secret")
}

func TestToolsThatCannotBeUsed(t *testing.T) {
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "odd", InputSchema: json.RawMessage(`{"properties":{"a":{"pattern":"(?=x)"}}}`)}, func(context.Context, *mcptest.Call) (any, error) { return "", nil })
	checks := examineYAML(t, "{type: http, url: '"+mcptest.StartHTTP(t, server)+"'}")
	requireCheck(t, checks, "tools", Warning, "1 listed, 1 of them with a schema that cannot be used", "author")
}

// Each check is bounded, and so is the whole where the caller wants it.
func TestAServerThatNeverAnswers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the client went away
		<-r.Context().Done()
	})
	cfg, err := config.Parse("mcp.yaml", []byte("servers: {x: {type: http, url: '"+url+"'}}"))
	require.NoError(t, err)
	section, _ := cfg.Server("x")
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	checks := Examine(ctx, Patient{Section: section, Connect: func() (*mcpclient.Connection, error) { return client.Connect("x") }})
	assert.Equal(t, Failed, checks[len(checks)-1].Status)
}

func discard() *log.Logger { return log.New(io.Discard, "", 0) }
