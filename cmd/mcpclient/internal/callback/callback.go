// Package callback receives a user who comes back from an authorization server:
// the browser, at a port of this machine, or what the user pastes.
//
// Anybody on this machine, and any web page in the user's browser, can ask the
// port something. What does not bring the state of the login is answered, and
// otherwise ignored: only the browser that was sent away knows it.
package callback

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Limits of the little server.
const (
	headerTimeout  = 10 * time.Second
	maxHeaderBytes = 64 << 10
	// lastWords is how long the browser has to take the page when all is over.
	lastWords = 2 * time.Second
)

// Listener listens where the browser comes back to.
type Listener struct {
	url       *url.URL
	listeners []net.Listener
	server    *http.Server
	serving   sync.WaitGroup

	state   string
	answers chan Answer
	once    sync.Once // one browser is the one
}

// Answer is what the user came back with.
type Answer struct {
	// Query is that of the redirect URL.
	Query url.Values
	reply chan<- error
}

// Reply has the browser show how it ended.
func (a Answer) Reply(err error) {
	if a.reply != nil {
		a.reply <- err
	}
}

// ErrNotHere: the redirect URL is not on this machine.
var ErrNotHere = errors.New("the redirect URL is not http on loopback")

// Listen listens at the port of a redirect URL, or with free at any other one.
// Nobody is served before Serve. Errors are ErrNotHere and those of net.Listen.
func Listen(redirect string, free bool) (*Listener, error) {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "http" {
		return nil, ErrNotHere
	}
	port := u.Port()
	switch {
	case free:
		port = "0"
	case port == "":
		port = "80"
	}
	l := &Listener{answers: make(chan Answer)}
	hosts := []string{u.Hostname()}
	if u.Hostname() == "localhost" {
		hosts = []string{"127.0.0.1", "::1"} // a browser may take either
	}
	for _, host := range hosts {
		if address := net.ParseIP(host); address == nil || !address.IsLoopback() {
			return nil, ErrNotHere
		}
		listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if err != nil && len(l.listeners) > 0 {
			continue // there is no IPv6 here
		}
		if err != nil {
			return nil, err
		}
		l.listeners = append(l.listeners, listener)
		_, port, _ = net.SplitHostPort(listener.Addr().String())
	}
	actual := *u
	if free {
		actual.Host = net.JoinHostPort(u.Hostname(), port)
	}
	l.url = &actual
	return l, nil
}

// URL is the redirect URL, with the port that is listened at.
func (l *Listener) URL() string { return l.url.String() }

// Serve begins to serve the page: name is what the user logs in to, state what
// the browser must bring.
func (l *Listener) Serve(name, state string) {
	l.state = state
	l.server = &http.Server{
		Handler:           &handler{Listener: l, name: name},
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	for _, listener := range l.listeners {
		l.serving.Go(func() { _ = l.server.Serve(listener) })
	}
}

// Answers brings the browser's answer, once. The browser waits for its Reply.
func (l *Listener) Answers() <-chan Answer { return l.answers }

// Close lets the browser have its page, bounded, and ends.
func (l *Listener) Close() {
	if l.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		if l.server.Shutdown(ctx) != nil {
			_ = l.server.Close()
		}
	}
	for _, listener := range l.listeners {
		_ = listener.Close()
	}
	l.serving.Wait()
}

// isOurs reports whether a request brings the state of this login.
func (l *Listener) isOurs(query url.Values) bool {
	return len(query["state"]) == 1 && subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(l.state)) == 1
}
