package httplink

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Check returns the faults that decoding cannot find: what is wrong with the
// URL, header names and values, the files of tls and the proxy. section gives
// them their place. It reads the files that the configuration names and
// connects to nothing.
func (c Config) Check(section *config.Section) []errors.Fault {
	check := checker{section: section}
	check.url(c)
	check.token(c.Token)
	check.headers(c.Headers)
	check.identityHeaders(c.IdentityHeaders)
	if c.MaxResponseBytes < 0 || c.MaxResponseBytes == 0 && section.Has("max_response_bytes") {
		check.add("max_response_bytes", "must be more than 0", fmt.Sprint(c.MaxResponseBytes), "a number of bytes")
	}
	if slices.Contains(c.SessionLostMatch, "") {
		check.add("session_lost_match", "an empty text would match every answer", "", "non-empty texts")
	}
	check.network(c.Network)
	check.transport(c)
	return check.faults
}

// checker collects faults.
type checker struct {
	section *config.Section
	faults  []errors.Fault
}

func (c *checker) add(key, message, found, allowed string) {
	fault := c.section.Fault(key, message)
	fault.Found, fault.Allowed = found, allowed
	c.faults = append(c.faults, fault)
}

func (c *checker) url(config Config) {
	if config.BaseURL == "" {
		return // required: reported by decoding
	}
	key := "base_url"
	if !c.section.Has(key) && c.section.Has("url") {
		key = "url"
	}
	endpoint, fault := parseEndpoint(config.BaseURL)
	if fault != nil {
		c.add(key, fault.message, fault.found, urlWanted)
		return
	}
	if err := config.deniedBy(endpoint); errors.Is(err, errors.ErrForbiddenAddress) {
		c.add(key, "network.deny forbids this host, and wins over everything", "", "")
	}
}

func (c *checker) network(network Network) {
	for _, list := range []struct {
		key     string
		entries []string
	}{{"network.allow", network.Allow}, {"network.deny", network.Deny}} {
		for _, text := range list.entries {
			if err := dial.CheckEntry(text); err != nil {
				c.add(list.key, err.Error(), errors.PeerText(text, 80), dial.EntryWanted)
			}
		}
	}
}

func (c *checker) token(token config.Secret) {
	text, err := token.Reveal()
	if err != nil {
		return // reported by decoding
	}
	if !isHeaderValue(text) {
		c.add("token", "a token cannot contain line breaks or control characters", "", "")
	}
}

func (c *checker) headers(headers map[string]config.Secret) {
	seen := make(map[string]string, len(headers))
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		key := "headers." + name
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !isHeaderName(name):
			c.add(key, "not a header name", name, "letters, digits and hyphens")
			continue
		case isReserved(canonical):
			c.add(key, "set by the protocol or by HTTP itself, and cannot be configured", name, "")
			continue
		case seen[canonical] != "":
			c.add(key, "the same header as "+seen[canonical]+": names compare ignoring case", name, "")
		}
		seen[canonical] = name
		if text, err := headers[name].Reveal(); err == nil && !isHeaderValue(text) {
			c.add(key, "a header's value cannot contain line breaks or control characters", "", "")
		}
	}
}

func (c *checker) identityHeaders(names []string) {
	for _, name := range names {
		if !isHeaderName(name) {
			c.add("identity_headers", "not a header name", name, "letters, digits and hyphens")
		}
	}
}

func (c *checker) transport(config Config) {
	if _, err := config.TLS.version(); err != nil {
		c.add("tls.min_version", "not a TLS version that is accepted", config.TLS.MinVersion, "1.2, 1.3")
		return
	}
	settings, err := config.dialSettings()
	if err != nil {
		return // an unresolved secret: reported by decoding
	}
	if _, err := dial.ParseProxy(settings.Proxy); err != nil {
		c.add("proxy", "not a proxy", plainWord(settings.Proxy), "env, off, or a URL of scheme http, https, socks5 or socks5h")
		return
	}
	if _, err := dial.NewPool().Transport(settings); err != nil {
		key := "tls.ca_file"
		if !strings.HasPrefix(err.Error(), key) {
			key = "tls.cert_file"
		}
		c.add(key, strings.TrimPrefix(err.Error(), key+": "), "", "")
	}
}

// plainWord returns text if it is a word that people try here; else nothing,
// since what stands in the place of a proxy may be a password.
func plainWord(text string) string {
	switch strings.ToLower(text) {
	case "auto", "default", "direct", "disable", "disabled", "enabled", "environment", "false", "never", "no", "null", "on", "system", "true", "yes":
		return text
	default:
		return ""
	}
}

// version returns 0 for the default, which an adopted transport may override.
func (t TLS) version() (uint16, error) {
	switch t.MinVersion {
	case "", "1.2":
		return 0, nil
	case "1.3":
		return tls.VersionTLS13, nil
	default:
		return 0, errors.New("tls.min_version: 1.2 or 1.3 is wanted")
	}
}

// isReserved reports whether the protocol, or HTTP's framing, owns a header.
// Accept and Content-Type are owned too, but harmless: see isOverridden.
func isReserved(canonical string) bool {
	switch canonical {
	case mcp.HeaderProtocolVersion, mcp.HeaderSessionID, mcp.HeaderMethod, mcp.HeaderName, mcp.HeaderLastEventID,
		"Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Upgrade", "Expect":
		return true
	default:
		return strings.HasPrefix(canonical, mcp.HeaderParamPrefix)
	}
}

// isOverridden reports whether a header may be configured but never takes
// effect.
func isOverridden(canonical string) bool { return canonical == "Accept" || canonical == "Content-Type" }

// isHeaderName reports whether text is a token of HTTP.
func isHeaderName(text string) bool {
	for i := range len(text) {
		c := text[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return text != ""
}

// isHeaderValue refuses control characters: line breaks would inject headers,
// the others make the request fail (P2).
func isHeaderValue(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
