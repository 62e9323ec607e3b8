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
func newTransport(settings Settings) (*http.Transport, error) {
	proxy, err := ParseProxy(settings.Proxy)
	if err != nil {
		return nil, err
	}
	security, err := tlsConfig(settings)
	if err != nil {
		return nil, err
	}
	connect := reporting(newDialer(settings).DialContext)
	transport := &http.Transport{
		Proxy:                  proxy,
		DialContext:            connect,
		DialTLSContext:         secured(connect, security),
		TLSClientConfig:        security, // for what goes through a proxy
		TLSHandshakeTimeout:    handshakeTimeout,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
	}
	tune(transport, settings)
	return transport, nil
}

// adopt makes a transport of somebody's own: what it does to reach its peers is
// kept, unless the settings say otherwise.
func adopt(base *http.Transport, settings Settings) (*http.Transport, error) {
	transport := base.Clone()
	if settings.Proxy != "" {
		proxy, err := ParseProxy(settings.Proxy)
		if err != nil {
			return nil, err
		}
		transport.Proxy = proxy
	}
	if settings.hasTLS() {
		security, err := tlsConfig(settings)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig, transport.DialTLSContext = security, nil
	}
	if transport.DialContext == nil {
		transport.DialContext = newDialer(settings).DialContext
	}
	transport.DialContext = reporting(transport.DialContext)
	tune(transport, settings)
	return transport, nil
}

// tune sets what every transport of this module has.
func tune(transport *http.Transport, settings Settings) {
	transport.DisableCompression = true // P7
	transport.ResponseHeaderTimeout = 0 // P6
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = orDefault(settings.IdlePerHost, defaultIdlePerHost)
	transport.IdleConnTimeout = orDefault(settings.IdleTimeout, defaultIdleTimeout)
}

func orDefault[T int | time.Duration](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}

func newDialer(settings Settings) *net.Dialer {
	return &net.Dialer{
		Timeout: orDefault(settings.ConnectTimeout, defaultConnectTimeout),
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 4,
		},
	}
}

// reporting turns every failure to connect into an *Error.
func reporting(connect dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := connect(ctx, network, address)
		if err != nil {
			return nil, &Error{Address: address, Err: err}
		}
		return connection, nil
	}
}

// secured connects and completes the TLS handshake.
func secured(connect dialFunc, security *tls.Config) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := connect(ctx, network, address)
		if err != nil {
			return nil, err
		}
		config := security.Clone()
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
