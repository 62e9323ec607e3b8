package httplink

import (
	"net"
	"net/url"
)

// address is the host and port of an endpoint, empty if it has none.
func address(endpoint *url.URL) string {
	if endpoint == nil || endpoint.Hostname() == "" {
		return ""
	}
	port := endpoint.Port()
	switch {
	case port != "":
	case endpoint.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(endpoint.Hostname(), port)
}
