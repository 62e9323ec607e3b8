package httplink

import (
	"net"
	"net/url"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/internal/redact"
)

const urlWanted = "an absolute URL of scheme http or https, or of a Unix socket: " + socketWanted

// urlFault is what is wrong with an endpoint. Neither text shows a secret: of a
// URL without a host nothing is shown, for what stands in its place may be one.
type urlFault struct{ message, found string }

// endpoint is where requests go.
type endpoint struct {
	url    *url.URL // nil if there is a fault
	target string   // the URL of requests: as it was written, except for sockets
	socket string   // the path of a Unix socket; empty: the network
	shown  string   // for logs and errors: without user, query and fragment
}

// host is who is talked to, for errors.
func (e endpoint) host() string {
	if e.socket != "" {
		return schemeUnix + errors.PeerText(e.socket, snippetBytes)
	}
	return e.url.Host
}

// parseEndpoint accepts what the HTTP client will use exactly as written, and
// addresses of sockets.
func parseEndpoint(text string) (endpoint, *urlFault) {
	if isSocketAddress(text) {
		return parseSocket(text)
	}
	u, fault := parseURL(text)
	if fault != nil {
		return endpoint{}, fault
	}
	return endpoint{url: u, target: text, shown: displayable(u)}, nil
}

func parseURL(text string) (*url.URL, *urlFault) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return nil, &urlFault{message: noHost(u, text)}
	case u.User != nil:
		return nil, &urlFault{message: "user and password do not belong into the URL, which is logged; use token or headers"}
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, &urlFault{"not an absolute HTTP URL", displayable(u)}
	case u.Hostname() == "":
		return nil, &urlFault{message: "the URL has no host"}
	case strings.Contains(text, "#"):
		return nil, &urlFault{"a fragment is never sent", displayable(u)}
	case strings.TrimSpace(text) != text:
		return nil, &urlFault{"the URL has blanks around it", displayable(u)}
	}
	return u, nil
}

// noHost says what is wrong with a text that is no URL (u is nil then), or one
// without a host. What stands before a port looks like a scheme, or makes an
// address no URL at all.
func noHost(u *url.URL, text string) string {
	if meant := guessed(text); meant != nil {
		if dial.IsLoopbackHost(meant.Hostname()) {
			meant.Scheme = "http"
		}
		return "a scheme is missing; did you mean " + displayable(meant) + "?"
	}
	switch {
	case u == nil:
		return "not a URL" // the error would show it
	case u.Scheme != "http" && u.Scheme != "https":
		return "not an absolute HTTP URL: it has to begin with https:// or http://"
	case u.Opaque != "":
		return "not an absolute HTTP URL: // is missing behind " + u.Scheme + ":"
	default:
		return "the URL has no host"
	}
}

// guessed reads text as an address without a scheme; nil if what would be its
// host may be something else, such as a word that is secret.
func guessed(text string) *url.URL {
	u, err := url.Parse("https://" + text)
	if err != nil || u.User == nil && strings.Contains(text, "@") {
		return nil
	}
	host := u.Hostname()
	if net.ParseIP(host) == nil && host != "localhost" && !isDomain(host) {
		return nil
	}
	return u
}

// isDomain: lower case, with dots, the last part of letters. The tokens that
// people paste into the wrong place are not like that.
func isDomain(host string) bool {
	labels := strings.Split(host, ".")
	if len(labels) < 2 || len(host) > 253 || redact.IsKnownToken(host) {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(last) >= 2 && strings.Trim(last, "abcdefghijklmnopqrstuvwxyz") == ""
}

// displayURL is a URL as logs and errors may show it: without user, query and
// fragment, where secrets live.
func displayURL(text string) string {
	if isSocketAddress(text) {
		if e, fault := parseSocket(text); fault == nil {
			return e.shown
		}
		return "unusable URL"
	}
	u, err := url.Parse(text)
	switch {
	case text == "":
		return ""
	case err != nil || u.Host == "":
		return "unusable URL"
	default:
		return displayable(u)
	}
}

// displayable is displayURL for what has been parsed. What follows a scheme
// without // is not shown: it may be a password.
func displayable(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return shown.String()
}
