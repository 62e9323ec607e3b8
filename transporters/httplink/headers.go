package httplink

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	authorizationHeader = "Authorization"
	userAgentHeader     = "User-Agent"
)

// headers are what a link adds to the protocol's headers.
type headers struct {
	configured []*configuredHeader
	overridden []string    // configured, but the protocol's own
	userAgent  []string    // shared by the links of a pool
	client     http.Header // of the user's client: sent below these
}

func userAgent() []string { return []string{"mcpclient/" + mcp.ClientInfo().Version} }

// configuredHeader is a header whose value may change while the program runs.
type configuredHeader struct {
	name   string // canonical
	prefix string
	secret config.Secret
	last   atomic.Pointer[[]string] // the value in the form of http.Header
}

// newHeaders puts the configured headers in the order in which they are set, so
// that a later one goes before an earlier one: the token, then headers.
func newHeaders(cfg *Config, adopted *adoptedClient) headers {
	var h headers
	if adopted != nil {
		h.client = adopted.client.Header
		if adopted.authorization != nil {
			h.configured = append(h.configured, adopted.authorization)
		}
	}
	if !cfg.Token.IsZero() {
		h.configured = append(h.configured, &configuredHeader{name: authorizationHeader, prefix: "Bearer ", secret: cfg.Token})
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Headers)) {
		canonical := http.CanonicalHeaderKey(name)
		if isReserved(canonical) || isOverridden(canonical) {
			h.overridden = append(h.overridden, name)
			continue
		}
		h.configured = append(h.configured, &configuredHeader{name: canonical, secret: cfg.Headers[name]})
	}
	return h
}

func literalHeader(name, value string) *configuredHeader {
	return &configuredHeader{name: http.CanonicalHeaderKey(name), secret: config.LiteralSecret(value)}
}

// configures reports whether headers (not token) sets the header.
func (h *headers) configures(name string) bool {
	return slices.ContainsFunc(h.configured, func(c *configuredHeader) bool { return c.name == name && c.prefix == "" })
}

func (h *headers) hasCredentials() bool { return len(h.configured) > 0 }

// merge puts the complete header of a request into merged, which is empty.
// protocol is not changed, and goes before everything else: a reserved header is
// never taken from elsewhere, even where the protocol sets none.
func (h *headers) merge(ctx context.Context, protocol, merged http.Header) error {
	mergeTrace(merged, transporters.TraceHeaderOf(ctx))
	merged[userAgentHeader] = h.userAgent
	for _, header := range h.configured {
		value, err := header.value()
		if err != nil {
			return err
		}
		if value != nil {
			merged[header.name] = value
		}
	}
	if err := mergeCall(merged, transporters.CallOptionsOf(ctx)); err != nil {
		return err
	}
	mergeProtocol(merged, protocol)
	return nil
}

func mergeProtocol(merged, protocol http.Header) {
	for name, values := range protocol {
		if canonical := http.CanonicalHeaderKey(name); canonical != name {
			delete(merged, canonical)
		}
		merged[name] = values
	}
}

// mergeTrace adds what links the request to a trace. A header that may carry
// credentials is none of its business.
func mergeTrace(merged, trace http.Header) {
	for name, values := range trace {
		canonical := http.CanonicalHeaderKey(name)
		if isReserved(canonical) || isOverridden(canonical) || isCredential(canonical) || !isHeaderName(name) || !allHeaderValues(values) {
			continue
		}
		merged[canonical] = values
	}
}

func isCredential(canonical string) bool {
	return canonical == authorizationHeader || canonical == "Cookie" || canonical == "Proxy-Authorization"
}

// mergeCall adds what one call brings: its token in place of every configured
// credential, then its headers.
func mergeCall(merged http.Header, options *transporters.CallOptions) error {
	if options.Token != "" {
		if !isHeaderValue(options.Token) {
			return invalidHeader(authorizationHeader)
		}
		merged[authorizationHeader] = []string{"Bearer " + options.Token}
	}
	for name, values := range options.Header {
		canonical := http.CanonicalHeaderKey(name)
		if isReserved(canonical) || isOverridden(canonical) {
			continue
		}
		if !isHeaderName(name) || !allHeaderValues(values) {
			return invalidHeader(name)
		}
		merged[canonical] = values
	}
	return nil
}

func allHeaderValues(values []string) bool {
	return !slices.ContainsFunc(values, func(value string) bool { return !isHeaderValue(value) })
}

func invalidHeader(name string) error {
	text := fmt.Sprintf("header %q of the call: its name or value has characters that are not allowed in a header", errors.PeerText(name, 60))
	return failure(errors.KindParams, errors.DeliveryNotSent, text, errors.ErrInvalidParams, errors.ErrNotSent)
}

// value resolves the header's value; nil if it is a token and empty. As long as
// it stays the same no memory is needed for it.
func (c *configuredHeader) value() ([]string, error) {
	text, err := c.secret.Reveal()
	if err != nil {
		return nil, fmt.Errorf("header %s: %w", c.name, err)
	}
	if text == "" && c.prefix != "" {
		return nil, nil
	}
	if last := c.last.Load(); last != nil && (*last)[0][len(c.prefix):] == text {
		return *last, nil
	}
	if !isHeaderValue(text) {
		return nil, fmt.Errorf("header %s: the configured value has line breaks or control characters", c.name)
	}
	value := []string{c.prefix + text}
	c.last.Store(&value)
	return value, nil
}

// secrets returns the values that must not appear in what the peer's text
// brings into errors and logs.
func (h *headers) secrets(ctx context.Context) []string {
	var secrets []string
	for _, header := range h.configured {
		if text, err := header.secret.Reveal(); err == nil {
			secrets = append(secrets, text)
		}
	}
	options := transporters.CallOptionsOf(ctx)
	secrets = append(secrets, options.Token)
	for _, header := range []http.Header{h.client, options.Header} {
		for _, values := range header {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}
