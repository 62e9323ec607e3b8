package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
)

const (
	// soon is how long before its end a certificate is worth a warning.
	soon = 14 * 24 * time.Hour
	// maxSkew is how far clocks may differ without a warning: tokens and signatures
	// hold for minutes.
	maxSkew = 30 * time.Second
)

// endpoint checks the way to an HTTP server, step by step.
func (e *examination) endpoint(cfg httplink.Config) bool {
	address, err := url.Parse(cfg.BaseURL)
	if err != nil || address.Host == "" {
		return true // a fault, which the configuration's check has told
	}
	pool := dial.NewPool()
	defer pool.Close()
	made, err := pool.Transport(settingsOf(cfg))
	transport, isPlain := made.(*http.Transport) // which it is without a guard
	if err == nil && !isPlain {
		return true
	}
	if err != nil {
		return e.check("TLS settings", checkTimeout, func(context.Context) finding {
			return failed("correct the files under tls, or proxy", "%v", err)
		})
	}
	target := address
	proxy := e.proxy(transport, address)
	if proxy != nil {
		target = proxy
	}
	if !e.check("name", checkTimeout, func(ctx context.Context) finding { return lookUp(ctx, target.Hostname()) }) {
		return false
	}
	if !e.check("connection", checkTimeout, func(ctx context.Context) finding { return connect(ctx, transport, target, cfg) }) {
		return false
	}
	if address.Scheme == "https" && proxy == nil {
		if !e.check("certificate", checkTimeout, func(ctx context.Context) finding { return certificate(ctx, transport, address, cfg) }) {
			return false
		}
	}
	e.check("clock", checkTimeout, func(ctx context.Context) finding { return clock(ctx, transport, address) })
	return true
}

func settingsOf(cfg httplink.Config) dial.Settings {
	return dial.Settings{
		CAFile: cfg.TLS.CAFile, CertFile: cfg.TLS.CertFile, KeyFile: cfg.TLS.KeyFile,
		ServerName: cfg.TLS.ServerName, InsecureSkipVerify: cfg.TLS.InsecureSkipVerify,
		Proxy: revealed(cfg.Proxy),
	}
}

// proxy says which proxy is used; nothing where none is.
func (e *examination) proxy(transport *http.Transport, address *url.URL) *url.URL {
	if transport.Proxy == nil {
		return nil
	}
	proxy, err := transport.Proxy(&http.Request{URL: address, Header: http.Header{}})
	if err != nil {
		e.check("proxy", checkTimeout, func(context.Context) finding {
			return failed("correct proxy, or the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY", "%v", err)
		})
		return nil
	}
	if proxy != nil {
		e.check("proxy", checkTimeout, func(context.Context) finding { return fine("through %s", proxy.Host) })
	}
	return proxy
}

func lookUp(ctx context.Context, host string) finding {
	if net.ParseIP(host) != nil {
		return fine("%s is an address", host)
	}
	addresses, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return failed("check the host in base_url, and the name servers of this machine", "%s cannot be resolved: %v", host, err)
	}
	return fine("%s is %s", host, strings.Join(addresses, ", "))
}

func connect(ctx context.Context, transport *http.Transport, target *url.URL, cfg httplink.Config) finding {
	connection, err := transport.DialContext(ctx, "tcp", hostAndPort(target))
	if err != nil {
		return failed("is the server running, is the port right, and does no firewall stand between?", "%v", err)
	}
	_ = connection.Close()
	if target.Scheme == "http" && !isLoopback(target.Hostname()) && (!cfg.Token.IsZero() || len(cfg.Headers) > 0) {
		return warning("use https: anybody on the way can read the token and headers", "%s answers, not encrypted", hostAndPort(target))
	}
	return fine("%s answers", hostAndPort(target))
}

func hostAndPort(address *url.URL) string {
	port := address.Port()
	switch {
	case port != "":
	case address.Scheme == "https":
		port = "443"
	case strings.HasPrefix(address.Scheme, "socks5"):
		port = "1080"
	default:
		port = "80"
	}
	return net.JoinHostPort(address.Hostname(), port)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func certificate(ctx context.Context, transport *http.Transport, address *url.URL, cfg httplink.Config) finding {
	connection, err := transport.DialTLSContext(ctx, "tcp", hostAndPort(address))
	if err != nil {
		return failed(certificateAdvice(err, cfg), "%v", err)
	}
	defer func() { _ = connection.Close() }()
	secure, ok := connection.(*tls.Conn)
	if !ok || len(secure.ConnectionState().PeerCertificates) == 0 {
		return fine("the handshake succeeded")
	}
	state := secure.ConnectionState()
	leaf := state.PeerCertificates[0]
	text := fmt.Sprintf("%s, for %s by %s, until %s", tls.VersionName(state.Version), named(leaf), leaf.Issuer.CommonName, leaf.NotAfter.Format(time.DateOnly))
	switch {
	case cfg.TLS.InsecureSkipVerify:
		return warning("remove tls.insecure_skip_verify: anybody can pose as the server", "%s; not verified", text)
	case time.Until(leaf.NotAfter) < soon:
		return warning("have it renewed", "%s", text)
	default:
		return fine("%s", text)
	}
}

func named(leaf *x509.Certificate) string {
	names := leaf.DNSNames
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return leaf.Subject.CommonName
	}
	return strings.Join(names[:min(len(names), 3)], ", ")
}

func certificateAdvice(err error, cfg httplink.Config) string {
	var (
		invalid   x509.CertificateInvalidError
		unknown   x509.UnknownAuthorityError
		wrongName x509.HostnameError
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate is not valid now: have it renewed, and check this machine's clock"
	case errors.As(err, &unknown) && cfg.TLS.CAFile != "":
		return "none of the authorities in tls.ca_file has issued it"
	case errors.As(err, &unknown):
		return "this machine does not know who issued it: name the authority's file under tls.ca_file"
	case errors.As(err, &wrongName):
		return "the certificate is for another host: correct base_url, or say which one under tls.server_name"
	default:
		return "does the server speak TLS at this port? http and https are not the same one"
	}
}

// clock compares the clocks by the Date of an answer: to a HEAD, which asks for
// nothing and carries no credentials.
func clock(ctx context.Context, transport *http.Transport, address *url.URL) finding {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address.String(), nil)
	if err != nil {
		return warning("", "%v", err)
	}
	request.Close = true // net/http logs what a server sends after its answer
	begun := time.Now()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return warning("", "it does not answer HEAD: %v", err)
	}
	_ = answer.Body.Close()
	middle := begun.Add(time.Since(begun) / 2)
	date, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return fine("the server does not tell the time")
	}
	skew := date.Add(500 * time.Millisecond).Sub(middle).Round(time.Second) // Date has whole seconds
	if skew.Abs() > maxSkew {
		return warning("set the clocks right (NTP): tokens and certificates depend on them", "the server's clock differs by %v", skew)
	}
	return fine("differs by less than %v", max(skew.Abs(), time.Second)+time.Second)
}
