package httplink

import (
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// credentials remembers what was sent of late that neither the configuration
// nor the call knows, an authorizer's credentials and session ids, so that it can
// be kept out of errors and logs if the server repeats it. The zero value is
// ready.
type credentials struct {
	authorizations recent
	sessions       recent
}

// sent takes note of a request's header.
func (c *credentials) sent(header http.Header) {
	c.sessions.note(header.Get(mcp.HeaderSessionID))
}

// authorized takes note of a header that an authorizer has completed.
func (c *credentials) authorized(header http.Header) {
	c.authorizations.note(header.Get(authorizationHeader))
}

// secrets returns what is remembered, credentials with and without their scheme.
func (c *credentials) secrets() []string {
	secrets := c.sessions.values()
	for _, credential := range c.authorizations.values() {
		_, bare, _ := strings.Cut(credential, " ")
		secrets = append(secrets, credential, bare)
	}
	return secrets
}

// recent is the latest value and the one before: a request that is still under
// way may have been sent with that.
type recent struct{ pair atomic.Pointer[recentPair] }

type recentPair struct{ latest, before string }

func (r *recent) note(value string) {
	pair := r.pair.Load()
	if value == "" || pair != nil && pair.latest == value {
		return
	}
	next := &recentPair{latest: value}
	if pair != nil {
		next.before = pair.latest
	}
	r.pair.Store(next)
}

func (r *recent) values() []string {
	pair := r.pair.Load()
	switch {
	case pair == nil:
		return nil
	case pair.before == "":
		return []string{pair.latest}
	default:
		return []string{pair.latest, pair.before}
	}
}
