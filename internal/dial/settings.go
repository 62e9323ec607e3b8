package dial

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// proxyWanted says what Settings.Proxy may be.
const proxyWanted = "env, off, or a URL of scheme http, https, socks5 or socks5h"

// Values of Settings.Proxy other than a URL.
const (
	// ProxyFromEnvironment takes HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
	ProxyFromEnvironment = "env"
	// ProxyOff connects directly.
	ProxyOff = "off"
	// ProxyNone is another word for ProxyOff.
	ProxyNone = "none"
)

const (
	// As many connections are idle as calls were under way at once in the last
	// defaultIdleTimeout. A limit below that has callers close what others dial at
	// the same moment; this one is above what a program can hold open.
	defaultIdlePerHost    = 1 << 20
	defaultIdleTimeout    = 90 * time.Second
	defaultConnectTimeout = 30 * time.Second
	handshakeTimeout      = 15 * time.Second
	maxHeaderBytes        = 256 << 10

	// A connection of HTTP/2 carries many calls, so a dead one must be noticed:
	// silence of pingAfter makes a ping, no answer within pingTimeout ends it.
	pingAfter   = 30 * time.Second
	pingTimeout = 15 * time.Second
)

// Settings are what distinguishes one transport from another. They are
// comparable; the zero value means the defaults.
type Settings struct {
	// CAFile is a PEM file with the authorities to trust instead of the
	// system's.
	CAFile string
	// CertFile and KeyFile are PEM files with the client's certificate. They
	// are read again for each new connection, so a renewed certificate is used.
	CertFile, KeyFile string
	// ServerName replaces the URL's host in the TLS handshake.
	ServerName string
	// MinVersion is a tls.VersionTLS constant; 0 is TLS 1.2.
	MinVersion uint16
	// InsecureSkipVerify accepts any certificate.
	InsecureSkipVerify bool
	// Proxy is ProxyFromEnvironment (also if empty), ProxyOff, or a URL of
	// scheme http, https, socks5 or socks5h, which may hold a password.
	Proxy string
	// Guard says which addresses may be connected to; zero: all.
	Guard Guard
	// Socket is the path of a Unix domain socket, or @ and a name for one of
	// Linux's abstract sockets, to which every connection is made whatever the
	// host. There is no proxy then, and no guard.
	Socket string
	// IdlePerHost is how many idle connections are kept for each host; by
	// default every one, until IdleTimeout.
	IdlePerHost int
	// IdleTimeout ends a connection that was idle so long; default 90 s.
	IdleTimeout time.Duration
	// ConnectTimeout bounds one attempt to connect, without TLS; default 30 s.
	ConnectTimeout time.Duration
}

// String renders the settings without the proxy's user and password.
func (s Settings) String() string {
	type plain Settings // without methods
	s.Proxy = withoutUser(s.Proxy)
	return fmt.Sprintf("%+v", plain(s))
}

// GoString is String.
func (s Settings) GoString() string { return s.String() }

func withoutUser(proxy string) string {
	u, err := url.Parse(proxy)
	if err != nil {
		return "unreadable"
	}
	if u.User != nil {
		u.User = url.User("***")
	}
	return u.String()
}

// ParseProxy reads a value of Settings.Proxy. The error does not show the
// value, which may hold a password.
func ParseProxy(text string) (func(*http.Request) (*url.URL, error), error) {
	switch text {
	case "", ProxyFromEnvironment:
		return http.ProxyFromEnvironment, nil
	case ProxyOff, ProxyNone:
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("proxy: not a URL; allowed: " + proxyWanted)
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return nil, errors.New("proxy: neither a known word nor a URL of a known scheme; allowed: " + proxyWanted)
	}
	if u.Hostname() == "" {
		return nil, errors.New("proxy: the URL has no host")
	}
	return http.ProxyURL(u), nil
}
