package httplink

import (
	"net/http"
	"strings"
	"sync/atomic"
)

// credentials remembers what an authorizer had sent of late, so that it can be
// kept out of errors and logs if the server repeats it. The zero value is ready.
type credentials struct {
	latest atomic.Pointer[recentCredentials]
}

type recentCredentials struct{ latest, before string }

// sent takes note of a request's header.
func (c *credentials) sent(header http.Header) {
	credential := header.Get(authorizationHeader)
	recent := c.latest.Load()
	if credential == "" || recent != nil && recent.latest == credential {
		return
	}
	next := &recentCredentials{latest: credential}
	if recent != nil {
		next.before = recent.latest
	}
	c.latest.Store(next)
}

// secrets returns them with and without their scheme.
func (c *credentials) secrets() []string {
	recent := c.latest.Load()
	if recent == nil {
		return nil
	}
	var secrets []string
	for _, credential := range []string{recent.latest, recent.before} {
		if credential != "" {
			_, bare, _ := strings.Cut(credential, " ")
			secrets = append(secrets, credential, bare)
		}
	}
	return secrets
}
