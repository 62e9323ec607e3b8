package auth

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// countingStore knows which kinds of records it holds.
type countingStore struct {
	*MemoryStore
}

func (s countingStore) kinds() []Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kinds []Kind
	for key := range s.records {
		kinds = append(kinds, key.Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// attempt has a user authorize at a world: begin, agree, finish.
func attempt(t *testing.T, world *internet, edit func(url.Values)) (countingStore, error) {
	t.Helper()
	store := countingStore{NewMemoryStore()}
	var log bytes.Buffer
	a, err := New("files", publicServer, defaults(nil), WithHTTPClient(&http.Client{Transport: world}), WithStore(store))
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	flow, err := a.Begin(t.Context(), "alice")
	if err == nil {
		u, parseErr := url.Parse(flow.URL)
		require.NoError(t, parseErr)
		query := url.Values{"code": {"canary-code"}, "state": {u.Query().Get("state")}}
		if edit != nil {
			edit(query)
		}
		err = a.Finish(t.Context(), "alice", query)
	}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", err, err, err, log.String()), "canary")
	return store, err
}

func TestAnHonestWorld(t *testing.T) {
	store, err := attempt(t, honest(), nil)
	require.NoError(t, err)
	assert.Equal(t, []Kind{KindClient, KindIssuer, KindToken}, store.kinds(), "neither a flow nor a lease is left")
}

// Whatever metadata say, nobody is asked who must not be, the error says what is
// wrong, and nothing is stored.
func TestMetadataThatLie(t *testing.T) { // R239, R242, R257, R302, R303, R304, P88, P89, P97
	change := func(place string, p page) func(*internet) { return func(i *internet) { i.pages[place] = p } }
	redirect := func(to string) page { return page{status: 302, header: http.Header{"Location": {to}}} }
	resourceOf := func(text string) func(*internet) { return change(resourcePlace, page{body: text}) }
	issuer := func(text string) func(*internet) {
		return resourceOf(fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q]}`, publicServer, text))
	}
	endpoint := func(member, value string) func(*internet) {
		return change(serverPlace, page{body: serverDocument(member, value)})
	}
	for name, test := range map[string]struct {
		lie  func(*internet)
		host string // that must not be visited
		want string
	}{
		"a resource elsewhere":                     {resourceOf(`{"resource":"https://evil.example.com/mcp","authorization_servers":["https://evil.example.com"]}`), "evil.example.com", "is about the resource \"https://evil.example.com/mcp\""},
		"a resource of another path":               {resourceOf(`{"resource":"https://mcp.example.com/other","authorization_servers":["https://evil.example.com"]}`), "evil.example.com", "not about https://mcp.example.com/mcp"},
		"no authorization server":                  {resourceOf(`{"resource":"https://mcp.example.com/mcp","authorization_servers":[]}`), "", "names no authorization server"},
		"an issuer without encryption":             {issuer("http://as.example.com"), "as.example.com", "only https"},
		"an issuer on this machine":                {issuer("https://localhost:8443"), "localhost:8443", "it is a name of this machine"},
		"an issuer in a private net":               {issuer("https://10.0.0.1"), "10.0.0.1", "it is a private address"},
		"an issuer that is metadata of a cloud":    {issuer("https://169.254.169.254"), "169.254.169.254", "it is a link-local address"},
		"an issuer in a private net of IPv6":       {issuer("https://[fd00::1]"), "[fd00::1]", "it is a private address"},
		"an issuer that is mapped into IPv6":       {issuer("https://[::ffff:10.0.0.1]"), "[::ffff:10.0.0.1]", "it is a private address"},
		"an issuer with a user":                    {issuer("https://user@as.example.com"), "as.example.com", "a URL with a user"},
		"an issuer with a query":                   {issuer("https://as.example.com?x=y"), "as.example.com", "has a query"},
		"an issuer that is no URL":                 {issuer("as.example.com"), "", "not an absolute URL"},
		"another issuer in its document":           {endpoint("issuer", "https://evil.example.com"), "evil.example.com", "is of the issuer \"https://evil.example.com\""},
		"nearly its issuer":                        {endpoint("issuer", publicIssuer+"/"), "", "is of the issuer \"https://as.example.com/\""},
		"a token endpoint without encryption":      {endpoint("token_endpoint", "http://as.example.com/token"), "", "the token_endpoint of \"https://as.example.com\": http://as.example.com/token: only https"},
		"a token endpoint in a private net":        {endpoint("token_endpoint", "https://192.168.0.1/token"), "192.168.0.1", "the token_endpoint of \"https://as.example.com\": https://192.168.0.1/token: connecting to 192.168.0.1 is forbidden: it is a private address"},
		"a registration on this machine":           {endpoint("registration_endpoint", "https://127.0.0.1/register"), "127.0.0.1", "the registration_endpoint"},
		"a revocation in a private net":            {endpoint("revocation_endpoint", "https://172.16.0.1/revoke"), "172.16.0.1", "the revocation_endpoint"},
		"an authorization page that is a script":   {endpoint("authorization_endpoint", "javascript:alert(1)"), "", "the authorization_endpoint"},
		"an authorization page that is a file":     {endpoint("authorization_endpoint", "file:///etc/passwd"), "", "the authorization_endpoint"},
		"an authorization page on this machine":    {endpoint("authorization_endpoint", "http://localhost/x"), "", "the authorization_endpoint"},
		"no PKCE":                                  {change(serverPlace, page{body: strings.ReplaceAll(serverDocument("", ""), "S256", "plain")}), "", "S256"},
		"no endpoint for tokens":                   {endpoint("token_endpoint", ""), "", "names no token_endpoint"},
		"no authorization page":                    {endpoint("authorization_endpoint", ""), "", "names no authorization_endpoint"},
		"HTML in the place of the server's":        {change(serverPlace, page{body: "<!doctype html><p>canary"}), "", "not metadata in JSON"},
		"a list in the place of the server's":      {change(serverPlace, page{body: "[1,2]"}), "", "not metadata in JSON"},
		"10 MiB in the place of the server's":      {change(serverPlace, page{body: strings.Repeat(" ", 10<<20) + serverDocument("", "")}), "", "the answer is longer than"},
		"10 MiB in the place of the resource's":    {resourceOf(strings.Repeat(" ", 10<<20)), "", "the answer is longer than"},
		"a loop of redirects":                      {change(serverPlace, redirect(serverPlace)), "", "more than 3 redirects"},
		"a loop of redirects of the resource's":    {change(resourcePlace, redirect(resourcePlace)), "", "more than 3 redirects"},
		"a redirect into a private net":            {change(resourcePlace, redirect("https://10.0.0.1/")), "10.0.0.1", "it is a private address"},
		"a redirect to this machine":               {change(serverPlace, redirect("http://127.0.0.1:8500/")), "127.0.0.1:8500", "only https"},
		"a redirect to a file":                     {change(serverPlace, redirect("file:///etc/passwd")), "", "not an absolute URL"},
		"a registration that is a page":            {change(registerPlace, page{body: "<html>canary"}), "", "without a client_id"},
		"a registration of 10 MiB":                 {change(registerPlace, page{body: strings.Repeat("x", 10<<20)}), "", "the answer is longer than"},
		"a registration that is sent elsewhere":    {change(registerPlace, redirect("https://evil.example.com/register")), "evil.example.com", "HTTP status 302"},
		"a registration that is refused with text": {change(registerPlace, page{status: 400, body: `{"error":"invalid_client_metadata","error_description":"no\u001b[31m"}`}), "", `invalid_client_metadata (no\x1b[31m)`},
	} {
		t.Run(name, func(t *testing.T) {
			world := honest()
			test.lie(world)
			store, err := attempt(t, world, nil)
			require.ErrorContains(t, err, test.want)
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok)
			assert.Equal(t, "files", failure.Server)
			assert.Equal(t, errors.KindAuth, failure.Kind)
			assert.True(t, errors.Is(err, errors.ErrAuthorizationDiscovery) || errors.Is(err, errors.ErrClientRegistration))
			assert.Empty(t, store.kinds(), "nothing is stored")
			assert.False(t, world.visited(test.host), "visited: %v", world.visits)
			assert.False(t, slices.Contains(world.visits, tokenPlace))
		})
	}
}

// An authorization server may have its endpoints on other public hosts.
func TestEndpointsOnOtherHosts(t *testing.T) {
	world := honest()
	const elsewhere = "https://tokens.example.net/token"
	world.pages[serverPlace] = page{body: serverDocument("token_endpoint", elsewhere)}
	world.pages[elsewhere] = page{body: honestToken}
	store, err := attempt(t, world, nil)
	require.NoError(t, err)
	assert.Contains(t, store.kinds(), KindToken)
}

// Whatever the answer to the user or to the code is: no token is stored.
func TestAnswersThatAreNoGood(t *testing.T) { // R256, R259, R261
	token := func(p page) func(*internet) { return func(i *internet) { i.pages[tokenPlace] = p } }
	for name, test := range map[string]struct {
		world func(*internet)
		edit  func(url.Values)
		want  string
		cause error
	}{
		"the user says no":           {nil, func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, "access_denied", errors.ErrAuthorizationDenied},
		"an error and a code":        {nil, func(q url.Values) { q.Set("error", "server_error") }, "server_error", errors.ErrAuthorizationDenied},
		"another issuer":             {nil, func(q url.Values) { q.Set("iss", "https://evil.example.com") }, "it is not from the authorization server", errors.ErrAuthorizationResponse},
		"an error by another issuer": {nil, func(q url.Values) { q.Set("iss", "https://evil"); q.Set("error", "canary") }, "it is not from", errors.ErrAuthorizationResponse},
		"another state":              {nil, func(q url.Values) { q.Set("state", "canary") }, "belongs to no authorization that is under way", errors.ErrAuthorizationResponse},
		"no state":                   {nil, func(q url.Values) { q.Del("state") }, "it has no state", errors.ErrAuthorizationResponse},
		"no code":                    {nil, func(q url.Values) { q.Del("code") }, "neither a code nor an error", errors.ErrAuthorizationResponse},
		"a page for a token":         {token(page{body: "<html>canary"}), nil, "no access_token", errors.ErrTokenRequest},
		"nothing for a token":        {token(page{body: "{}"}), nil, "no access_token", errors.ErrTokenRequest},
		"a number for a token":       {token(page{body: `{"access_token":1}`}), nil, "no access_token", errors.ErrTokenRequest},
		"a line break in a token":    {token(page{body: `{"access_token":"canary\r\nX: y","token_type":"Bearer"}`}), nil, "cannot be put into a header", errors.ErrTokenRequest},
		"a token of another type":    {token(page{body: `{"access_token":"canary","token_type":"mac"}`}), nil, `a token of the type "mac"`, errors.ErrTokenRequest},
		"10 MiB for a token":         {token(page{body: strings.Repeat("x", 10<<20)}), nil, "longer than", errors.ErrTokenRequest},
		"a redirect for a token":     {token(page{status: 307, header: http.Header{"Location": {"https://evil.example.com/token"}}}), nil, "HTTP status 307", errors.ErrTokenRequest},
		"an error for a token":       {token(page{status: 400, body: `{"error":"invalid_grant","error_description":"no"}`}), nil, "HTTP status 400: invalid_grant (no)", errors.ErrTokenRequest},
		"a page of error":            {token(page{status: 500, body: "<html>canary"}), nil, "HTTP status 500", errors.ErrTokenRequest},
	} {
		t.Run(name, func(t *testing.T) {
			world := honest()
			if test.world != nil {
				test.world(world)
			}
			store, err := attempt(t, world, test.edit)
			require.ErrorIs(t, err, test.cause)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, store.kinds(), KindToken)
			assert.NotContains(t, store.kinds(), KindIssuer)
			assert.False(t, world.visited("evil.example.com"))
			assert.Equal(t, test.world != nil, slices.Contains(world.visits, tokenPlace), "a code goes nowhere before the answer is checked")
		})
	}
}

// A callback that comes a second time, and one that comes when its time is over.
func TestAnswersThatAreReplayed(t *testing.T) { // R256
	world, now := honest(), &clock{time.Now()}
	store := countingStore{&MemoryStore{now: now.time}}
	a, err := New("files", publicServer, defaults(nil), WithHTTPClient(&http.Client{Transport: world}), WithStore(store), WithClock(now.time))
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	answer := func(flow *Flow) url.Values { return url.Values{"code": {"canary-code"}, "state": {flow.State}} }
	first, err := a.Begin(t.Context(), "alice")
	require.NoError(t, err)
	require.NoError(t, a.Finish(t.Context(), "alice", answer(first)))
	token := a.Principal("alice").current.Load()
	for range 2 {
		require.ErrorIs(t, a.Finish(t.Context(), "alice", answer(first)), errors.ErrAuthorizationResponse)
	}
	late, err := a.Begin(t.Context(), "bob")
	require.NoError(t, err)
	require.ErrorIs(t, a.Finish(t.Context(), "mallory", answer(late)), errors.ErrAuthorizationResponse, "another user's")
	now.now = now.now.Add(defaultConsentTimeout)
	require.ErrorIs(t, a.Finish(t.Context(), "bob", answer(late)), errors.ErrAuthorizationResponse)
	assert.Same(t, token, a.Principal("alice").current.Load(), "the first answer counts")
	status, err := a.Status(context.Background(), "bob")
	require.NoError(t, err)
	assert.Equal(t, Status{}, status)
	assert.Equal(t, 1, strings.Count(strings.Join(world.visits, " "), tokenPlace), "the code is sent once")
}
