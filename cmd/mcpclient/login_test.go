package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// redirect is the section of most tests.
const redirect = "auth: {redirect_url: 'REDIRECT'}"

func TestLoginSurvivesTheRun(t *testing.T) { // R271
	d := newDesk(t, redirect)
	got := d.run("tools", "files")
	assert.Equal(t, exitAuth, got.code)
	assert.Contains(t, got.stderr, "authorization required")
	assert.Contains(t, got.stderr, "; run 'mcpclient login files'\n")
	got = d.run("whoami", "files")
	assert.Equal(t, outcome{1, "", "mcpclient: server \"files\": not logged in; run 'mcpclient login files'\n"}, got)
	entries, err := os.ReadDir(d.home)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "who did not log in finds nothing in the folder but the configuration")

	got = d.run("login", "files")
	require.Zero(t, got.code, got.stderr)
	assert.True(t, strings.HasPrefix(got.stdout, "logged in to files\n  issuer     "+d.world.Issuer.URL+"\n  client     client-1\n"), got.stdout)
	assert.Contains(t, got.stdout, "(in 59 minutes), and is renewed by itself\n")
	assert.Contains(t, got.stderr, "Log in to files at "+d.world.Issuer.URL)
	require.Len(t, d.pages, 1)
	assert.Contains(t, d.pages[0], "You are logged in to files. You can close this window")

	got = d.run("call", "files", "echo", "text=hello")
	assert.Equal(t, outcome{0, "hello\n", ""}, got)
	assert.Equal(t, got.stdout, "hello\n")
	got = d.run("whoami", "files")
	assert.Zero(t, got.code)
	assert.Contains(t, got.stdout, "logged in to files\n")
	got = d.run("login", "files")
	assert.Zero(t, got.code)
	assert.Contains(t, got.stdout, "logged in already to files\n")
	assert.Equal(t, 1, d.world.Count("authorize"))
	got = d.run("login", "files", "--again")
	assert.Zero(t, got.code)
	assert.Equal(t, 2, d.world.Count("authorize"))

	got = d.run("logout", "files")
	assert.Equal(t, outcome{0, "logged out of files\n", ""}, got)
	assert.Equal(t, 1, d.world.Count("revoke"))
	assert.Equal(t, outcome{0, "not logged in to files\n", ""}, d.run("logout", "files"))
	assert.Equal(t, exitAuth, d.run("tools", "files").code)

	store := filepath.Join(d.home, "mcpclient", "tokens")
	info, err := os.Stat(store + ".key")
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, filepath.WalkDir(store, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.NotContains(t, string(content), "canary", "tokens are not kept in the open")
		}
		return err
	}))
}

func TestTheConfiguredStoreGoesFirst(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tokens")
	d := newDesk(t, fmt.Sprintf("auth: {redirect_url: 'REDIRECT', store: {path: '%s', key: '%s'}}", folder, hex.EncodeToString(make([]byte, 32))))
	require.Zero(t, d.run("login", "files").code)
	assert.DirExists(t, folder)
	assert.NoDirExists(t, filepath.Join(d.home, "mcpclient"))
	d.configure(redirect)
	assert.Equal(t, exitFailure, d.run("whoami", "files").code)
}

func TestAUserWithoutAHome(t *testing.T) {
	d := newDesk(t, redirect)
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(variable, "")
	}
	got := d.run("login", "files")
	assert.Equal(t, exitAuth, got.code)
	assert.Contains(t, got.stderr, "there is no folder for the user's own files")
	assert.Contains(t, got.stderr, "auth.store.path and auth.store.key")
	d.configure("auth: {type: client_credentials, client_id: ours, client_secret: canary-secret}")
	got = d.run("call", "files", "echo", "text=hello")
	assert.Equal(t, "hello\n", got.stdout, "a token that nobody has to log in for need not be kept")
}

func TestPrincipals(t *testing.T) {
	d := newDesk(t, redirect)
	require.Zero(t, d.run("login", "files", "--principal", "alice").code)
	assert.Contains(t, d.run("whoami", "files", "--principal", "alice").stdout, "  principal  alice\n")
	assert.Equal(t, "hello\n", d.run("call", "files", "echo", "text=hello", "--principal", "alice").stdout)
	for _, others := range [][]string{{}, {"--principal", "bob"}} {
		assert.Equal(t, exitFailure, d.run(append([]string{"whoami", "files"}, others...)...).code)
	}
	got := d.run("tools", "files", "--principal", "bob")
	assert.Contains(t, got.stderr, "run 'mcpclient login files --principal bob'")
	require.Zero(t, d.run("login", "files", "--principal", "bob").code)
	require.Zero(t, d.run("logout", "files", "--principal", "alice").code)
	assert.Zero(t, d.run("whoami", "files", "--principal", "bob").code)
	assert.Equal(t, 1, d.world.Count("register"), "one client for all")
}

func TestWhoamiAsJSON(t *testing.T) {
	d := newDesk(t, redirect)
	d.world.Scopes = map[string][]string{"/mcp": {"read", "write"}}
	require.Zero(t, d.run("login", "files", "--principal", "alice").code)
	var told map[string]any
	got := d.run("whoami", "files", "--principal", "alice", "--json")
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &told), got.stdout)
	expires, err := time.Parse(time.RFC3339, told["expires"].(string))
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(time.Hour), expires, time.Minute)
	delete(told, "expires")
	assert.Equal(t, map[string]any{
		"server": "files", "principal": "alice", "issuer": d.world.Issuer.URL, "resource": d.world.Endpoint(), "client_id": "client-1",
		"scopes": []any{"read", "write"}, "renewable": true,
	}, told)
	assert.JSONEq(t, `{"server": "files", "was_logged_in": true}`, d.run("logout", "files", "--principal", "alice", "--json").stdout)
}

func TestTheLoginHasEnded(t *testing.T) {
	d := newDesk(t, redirect)
	d.world.EditToken = func(_ url.Values, answer map[string]any) {
		delete(answer, "refresh_token")
		answer["expires_in"] = 0.001
	}
	got := d.run("login", "files")
	require.Zero(t, got.code, got.stderr)
	got = d.run("whoami", "files")
	assert.Equal(t, outcome{1, "", "mcpclient: server \"files\": the login has ended; run 'mcpclient login files'\n"}, got)
}

// The port is somebody else's: another one does where the client is registered
// for the login.
func TestAPortThatIsInUse(t *testing.T) {
	d := newDesk(t, redirect)
	listener, err := net.Listen("tcp", "127.0.0.1:"+d.port)
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	got := d.run("login", "files")
	require.Zero(t, got.code, got.stderr)
	registered := d.world.Registered()[0]["redirect_uris"].([]any)[0].(string)
	assert.NotContains(t, registered, ":"+d.port+"/")
	d.world.ExpireAccess(false)
	assert.Equal(t, "hello\n", d.run("call", "files", "echo", "text=hello").stdout, "the token is renewed as the client that it is for")
	assert.Equal(t, 1, d.world.Count("refresh_token"))
	require.Zero(t, d.run("logout", "files").code)
	assert.Equal(t, 1, d.world.Count("revoke"))

	d.configure("auth: {redirect_url: 'REDIRECT', client_id: ours}")
	got = d.run("login", "files")
	assert.Equal(t, exitFailure, got.code)
	assert.Contains(t, got.stderr, "http://127.0.0.1:"+d.port+"/callback) cannot be listened at")
	assert.Contains(t, got.stderr, `client "ours" must come back there: end what uses the port, or use --no-browser`)
}

// A browser elsewhere: the user pastes what it ends at.
func TestLoginByPasting(t *testing.T) {
	for name, code := range map[string]bool{"the address": false, "the code": true} {
		for _, redirect := range []string{"REDIRECT", "https://app.example.com/callback"} {
			t.Run(name+" "+redirect, func(t *testing.T) {
				d := newDesk(t, "auth: {redirect_url: '"+redirect+"'}")
				d.world.EditServer = func(m map[string]any) map[string]any {
					delete(m, "authorization_response_iss_parameter_supported")
					return m
				}
				read, write := io.Pipe()
				shown := &firstAddress{found: make(chan string, 1)}
				p := &program{stdin: read, stderr: shown, stdout: io.Discard, executable: os.Executable}
				done := make(chan int, 1)
				go func() { done <- p.run(t.Context(), []string{"--config", d.file(), "login", "files", "--no-browser"}) }()
				query, err := d.world.Consent(t.Context(), <-shown.found)
				require.NoError(t, err)
				text := "not this\n" + redirect + "?" + query.Encode() + "\n"
				if code {
					text = query.Get("code") + "\n"
				}
				_, err = io.WriteString(write, text)
				require.NoError(t, err)
				require.Zero(t, <-done, shown.String())
				require.NoError(t, write.Close())
				if !code {
					assert.Contains(t, shown.String(), "that is not where the browser ends")
				}
				assert.Zero(t, d.run("whoami", "files").code)
			})
		}
	}
}

func TestLoginsThatNobodyFinishes(t *testing.T) {
	d := newDesk(t, redirect)
	d.browse = func(context.Context, string) error { return nil }
	got := d.run("login", "files", "--timeout", "300ms")
	assert.Equal(t, exitTimeout, got.code)
	assert.Contains(t, got.stderr, "not done within --timeout 300ms")
	d.configure("auth: {redirect_url: 'REDIRECT', consent_timeout: 200ms}")
	got = d.run("login", "files")
	assert.Contains(t, got.stderr, "nobody agreed in time (auth.consent_timeout)")

	d.configure(redirect)
	ctx, cancel := context.WithCancelCause(t.Context())
	d.browse = func(context.Context, string) error { cancel(interrupted{os.Interrupt}); return nil }
	got = d.runWith(ctx, "login", "files")
	assert.Equal(t, exitInterrupted, got.code)
	assert.Contains(t, got.stderr, "mcpclient: interrupted\n")
	d.stdin = "what\n"
	got = d.run("login", "files", "--no-browser", "--timeout", "10s")
	assert.Equal(t, exitAuth, got.code)
	assert.Equal(t, exitFailure, d.run("whoami", "files").code, "nothing was stored")
}

func TestLoginsThatAreRefused(t *testing.T) {
	d := newDesk(t, redirect)
	for name, test := range map[string]struct {
		edit func(url.Values)
		want string
	}{
		"the user says no": {func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, "access_denied"},
		"another issuer":   {func(q url.Values) { q.Set("iss", "https://evil.example.com") }, "it is not from the authorization server"},
	} {
		d.world.EditRedirect = test.edit
		got := d.run("login", "files")
		assert.Equal(t, exitAuth, got.code, name)
		assert.Contains(t, got.stderr, test.want)
		page := d.pages[len(d.pages)-1]
		assert.Contains(t, page, "You are not logged in to files")
		assert.Equal(t, exitFailure, d.run("whoami", "files").code, "nothing was stored")
	}
	// Somebody who does not know the state gets nowhere, and disturbs nothing.
	d.world.EditRedirect = nil
	d.browse = func(ctx context.Context, target string) error {
		origin := "http://127.0.0.1:" + d.port
		for _, path := range []string{"/", "/callback?code=x&state=guess", "/callback?error=access_denied"} {
			if err := d.agree(ctx, origin+path); err != nil {
				return err
			}
		}
		return d.agree(ctx, target)
	}
	got := d.run("login", "files")
	require.Zero(t, got.code, got.stderr)
}

func TestServersWithoutLogin(t *testing.T) {
	d := newDesk(t, "headers: {X: y}")
	for _, command := range []string{"login", "logout", "whoami"} {
		got := d.run(command, "files")
		assert.Equal(t, exitFailure, got.code)
		assert.Contains(t, got.stderr, "nobody can log in to server \"files\"")
		assert.Equal(t, exitUsage, d.run(command).code)
	}
	assert.Contains(t, d.run("tools", "files").stderr, "if users log in to it, add 'auth: {}' to its configuration, and run 'mcpclient login files'")
	d.configure("auth: {type: client_credentials, client_id: ours, client_secret: canary-secret}")
	assert.Contains(t, d.run("login", "files").stderr, "gets its tokens by itself (auth.type is client_credentials)")
	assert.Contains(t, d.run("whoami", "files").stderr, "there is no token (auth.type is client_credentials")
	require.Zero(t, d.run("tools", "files").code)
	assert.Contains(t, d.run("whoami", "files").stdout, "client     ours")
	d.world.Token = func(url.Values, http.Header) (int, string) { return 400, `{"error":"invalid_client"}` }
	d.world.ExpireAccess(true)
	assert.NotContains(t, d.run("tools", "files").stderr, "mcpclient login")
	d.world.Token = nil
	d.configure(redirect)
	d.world.EditServer = func(map[string]any) map[string]any { return nil }
	assert.Contains(t, d.run("login", "files").stderr, "authorization discovery failed")
}

func TestALogoutThatTheServerIsNotToldOf(t *testing.T) {
	d := newDesk(t, redirect)
	require.Zero(t, d.run("login", "files").code)
	d.world.EditServer = func(map[string]any) map[string]any { return nil }
	got := d.run("logout", "files")
	assert.Equal(t, exitAuth, got.code)
	assert.Contains(t, got.stderr, "logged out here, but the authorization server could not be told")
	assert.Equal(t, exitFailure, d.run("whoami", "files").code)
}
