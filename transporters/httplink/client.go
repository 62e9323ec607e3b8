package httplink

import (
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-resty/resty/v2"

	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// maxRedirects bounds the hops of one request.
const maxRedirects = 3

// newClient makes the resty client of links that were given none. It may serve any
// number of them.
func newClient() *resty.Client {
	client := resty.NewWithClient(&http.Client{Transport: &roundTripper{}, CheckRedirect: checkRedirect})
	none := make(http.Header)
	client.SetPreRequestHook(func(_ *resty.Client, request *http.Request) error {
		if x, ok := request.Context().(*exchange); ok {
			x.setAside(request, none)
		}
		return nil
	})
	return client.SetLogger(silent{})
}

// adoptedClient is a user's resty client, prepared once for any number of links.
type adoptedClient struct {
	client *resty.Client
	// pool copies the client's *http.Transport; nil if it has something else,
	// which is then the transport of the round tripper.
	pool *dial.Pool
	// authorization is what the client's own token or basic authentication
	// comes to, nil if it has none.
	authorization *configuredHeader
}

// adoptClient takes over a user's client; see WithClient.
func adoptClient(client *resty.Client) *adoptedClient {
	adopted := &adoptedClient{client: client.Clone()}
	adopted.pool = takeOver(client.GetClient())
	adopted.authorization = authorizationOf(client)
	c := adopted.client
	c.Token, c.UserInfo = "", nil
	c.RetryCount = 0
	c.Debug = false
	c.SetUnescapeQueryParams(false)
	c.FormData, c.PathParams, c.RawPathParams = url.Values{}, map[string]string{}, map[string]string{}
	c.Header, c.QueryParam = c.Header.Clone(), maps.Clone(c.QueryParam)
	for name := range c.Header {
		if isReserved(http.CanonicalHeaderKey(name)) {
			c.Header.Del(name)
		}
	}
	return adopted
}

// takeOver reconfigures a client and returns the pool of its transport. A client
// that was taken over before is only read, for it may be in use.
func takeOver(client *http.Client) *dial.Pool {
	if ours, ok := client.Transport.(*roundTripper); ok {
		return ours.pool
	}
	ours := &roundTripper{base: client.Transport}
	switch transport := client.Transport.(type) {
	case nil:
		ours.pool = dial.NewPool()
	case *http.Transport:
		ours.pool = dial.NewPoolFrom(transport)
	}
	client.Transport = ours
	client.CheckRedirect = checkRedirect
	client.Jar = nil
	client.Timeout = 0
	return ours.pool
}

// authorizationOf turns the credentials of a client into a header.
func authorizationOf(client *resty.Client) *configuredHeader {
	switch {
	case client.Token != "":
		return literalHeader(client.HeaderAuthorizationKey, strings.TrimSpace(client.AuthScheme+" "+client.Token))
	case client.UserInfo != nil:
		var request http.Request
		request.Header = make(http.Header)
		request.SetBasicAuth(client.UserInfo.Username, client.UserInfo.Password)
		return literalHeader(authorizationHeader, request.Header.Get(authorizationHeader))
	default:
		return nil
	}
}

// checkRedirect follows only what keeps method, body and headers, and only
// within the same origin: net/http would turn other POSTs into GETs, and carry
// session ids and keys to strangers (P4, P5). What is refused comes back as it
// is, and becomes an error with the place it points to.
func checkRedirect(request *http.Request, via []*http.Request) error {
	if request.Response == nil || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	if !isFollowed(request.Response.StatusCode) || !sameOrigin(request.URL, via[0].URL) {
		return http.ErrUseLastResponse
	}
	request.Header = via[0].Header.Clone()
	return nil
}

// isFollowed: with these statuses a redirect keeps method and body.
func isFollowed(status int) bool {
	return status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
}

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}

// silent discards what resty logs: it repeats what errors say, with the URL.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
