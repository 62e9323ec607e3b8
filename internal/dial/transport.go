package dial

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// dialFunc opens a connection; it is the type of http.Transport.DialContext.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// newTransport makes a transport of our own, which dials and shakes hands
// itself.
func newTransport(settings Settings, resolver *net.Resolver, guard *rules) (*http.Transport, error) {
	proxy, err := ParseProxy(settings.Proxy)
	if err != nil {
		return nil, err
	}
	security, err := tlsConfig(settings)
	if err != nil {
		return nil, err
	}
	connect, proxies := ownDial(settings, resolver, guard), &httpsProxies{}
	transport := &http.Transport{
		Proxy:               proxies.noting(proxy),
		DialContext:         connect,
		DialTLSContext:      secured(connect, security, proxies),
		TLSClientConfig:     security, // for what goes through a proxy
		TLSHandshakeTimeout: handshakeTimeout,
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
	}
	if settings.Socket != "" {
		transport.Proxy = nil
	}
	tune(transport, settings)
	return transport, nil
}

// ownDial is how we connect ourselves.
func ownDial(settings Settings, resolver *net.Resolver, guard *rules) dialFunc {
	dialer := newDialer(settings, resolver)
	switch {
	case settings.Socket != "":
		return reporting(func(ctx context.Context, _, _ string) (net.Conn, error) {
			connection, err := dialer.DialContext(ctx, "unix", settings.Socket)
			if err != nil {
				return nil, &Error{Address: "unix:" + settings.Socket, Err: err}
			}
			return connection, nil
		})
	case guard != nil:
		return reporting(guarding(guard, dialer))
	default:
		return reporting(dialer.DialContext)
	}
}

// tune sets what every transport of this module has.
func tune(transport *http.Transport, settings Settings) {
	transport.DisableCompression = true // P7
	transport.ResponseHeaderTimeout = 0 // P6
	transport.MaxIdleConns = 0
	if transport.MaxResponseHeaderBytes <= 0 {
		transport.MaxResponseHeaderBytes = maxHeaderBytes // net/http would take 10 MiB
	}
	transport.MaxIdleConnsPerHost = orDefault(settings.IdlePerHost, defaultIdlePerHost)
	transport.IdleConnTimeout = orDefault(settings.IdleTimeout, defaultIdleTimeout)
}

func orDefault[T int | time.Duration](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}

func newDialer(settings Settings, resolver *net.Resolver) *net.Dialer {
	return &net.Dialer{
		Resolver: resolver,
		Timeout:  orDefault(settings.ConnectTimeout, defaultConnectTimeout),
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 4,
		},
	}
}

// reporting turns every failure to connect into an *Error.
func reporting(connect dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := connect(ctx, network, address)
		if _, reported := err.(*Error); reported {
			return nil, err
		}
		if err != nil {
			return nil, &Error{Address: address, Err: err}
		}
		return connection, nil
	}
}

// secured connects and completes the TLS handshake, with a server or a proxy.
func secured(connect dialFunc, security *tls.Config, proxies *httpsProxies) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := connect(ctx, network, address)
		if err != nil {
			return nil, err
		}
		config := security.Clone()
		if proxies.has(address) {
			config.ServerName = ""                   // that is the server's
			config.NextProtos = []string{"http/1.1"} // net/http speaks nothing else to proxies
		}
		if config.ServerName == "" {
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				host = address
			}
			config.ServerName = host
		}
		ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
		defer cancel()
		secure := tls.Client(connection, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = connection.Close()
			return nil, &Error{Address: address, TLS: true, Err: handshakeError(err)}
		}
		return secure, nil
	}
}
