package httplink

import "net"

// address is the host and port of an endpoint, or the path of its socket; empty
// if it has none.
func address(endpoint endpoint) string {
	switch {
	case endpoint.socket != "":
		return endpoint.host()
	case endpoint.url == nil || endpoint.url.Hostname() == "":
		return ""
	}
	port := endpoint.url.Port()
	switch {
	case port != "":
	case endpoint.url.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(endpoint.url.Hostname(), port)
}
