package auth

import (
	"net/url"
	"strings"

	"github.com/mcp-client-go/mcpclient/auth/internal/fetch"
	"github.com/mcp-client-go/mcpclient/auth/jose"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Check returns the faults that decoding cannot find. section is the server's;
// prefix is the path of this configuration within it, as a rule "auth". It does
// no I/O, except that a secret that names a file is read.
func (c Config) Check(section *config.Section, prefix string) []errors.Fault {
	check := checker{section: section, prefix: prefix}
	switch kind := c.Kind(); {
	case kind == TypeNone:
		return nil
	case kind == TypeBearer:
		return c.Settings.Check(section, prefix)
	case c.HasToken():
		check.add("type", "token and token_command are for another type", string(kind), string(TypeBearer))
	}
	if c.ConsentTimeout.IsOff() {
		check.add("consent_timeout", "an authorization that nobody completes has to be forgotten some time", "off", "a duration such as 10m")
	}
	check.url("redirect_url", c.redirectURL(), true)
	check.url("issuer", c.Issuer, true)
	check.url("identity_provider.token_endpoint", c.IdentityProvider.TokenEndpoint, true)
	check.metadataURL(c.ClientMetadataURL)
	check.scopes(c.Scopes)
	check.client(c)
	check.grant(c)
	check.store(c.Store)
	return check.faults
}

type checker struct {
	section *config.Section
	prefix  string
	faults  []errors.Fault
}

func (c *checker) add(key, message, found, allowed string) {
	fault := c.section.Fault(c.prefix+"."+key, message)
	fault.Found, fault.Allowed = found, allowed
	c.faults = append(c.faults, fault)
}

func (c *checker) missing(key, allowed string, is bool) {
	if is {
		c.add(key, "the key is required for this type", "", allowed)
	}
}

// url accepts https, and http on loopback (R257).
func (c *checker) url(key, text string, loopback bool) {
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	allowed := "an absolute https URL"
	if loopback {
		allowed += ", or http on loopback"
	}
	switch {
	case err != nil, u.User != nil, u.Opaque != "", u.Hostname() == "", strings.Contains(text, "#"):
		c.add(key, "not a URL that can be used here", fetch.DisplayText(text), allowed+", without user and fragment")
	case u.Scheme == "https", loopback && isRedirect(u):
	default:
		c.add(key, "codes and tokens must not travel in the open", fetch.DisplayText(text), allowed)
	}
}

// isRedirect: https, or http on loopback (R257).
func isRedirect(u *url.URL) bool {
	return u.Hostname() != "" && (u.Scheme == "https" || u.Scheme == "http" && dial.IsLoopbackHost(u.Hostname()))
}

// metadataURL: https with a path (R248).
func (c *checker) metadataURL(text string) {
	before := len(c.faults)
	c.url("client_metadata_url", text, false)
	if text == "" || len(c.faults) > before {
		return
	}
	if u, err := url.Parse(text); err != nil || strings.Trim(u.Path, "/") == "" {
		c.add("client_metadata_url", "the URL has no path, so it cannot be a client id", fetch.DisplayText(text), "an https URL with a path")
	}
}

func (c *checker) scopes(scopes []string) {
	for _, scope := range scopes {
		if !isScope(scope) {
			c.add("scopes", "not a scope", errors.PeerText(scope, 80), "words of printable ASCII without blanks, quotes and backslashes")
		}
	}
}

func (c *checker) client(cfg Config) {
	if cfg.ClientID == "" {
		if !cfg.ClientSecret.IsZero() {
			c.add("client_secret", "a secret without client_id", "", "both")
		}
		if !cfg.PrivateKey.IsZero() && cfg.ClientMetadataURL == "" {
			c.add("private_key", "a key without client_id or client_metadata_url", "", "both")
		}
	}
	if text, err := cfg.PrivateKey.Reveal(); err == nil && text != "" {
		if _, err := jose.Parse([]byte(text)); err != nil {
			c.add("private_key", err.Error(), "", "")
		}
	}
	switch needsSecret := cfg.AuthMethod == MethodBasic || cfg.AuthMethod == MethodPost; {
	case needsSecret && cfg.ClientID != "" && cfg.ClientSecret.IsZero():
		c.add("client_secret", "token_endpoint_auth_method needs it", "", "")
	case cfg.AuthMethod == MethodPrivateKeyJWT && cfg.PrivateKey.IsZero():
		c.add("private_key", "token_endpoint_auth_method needs it", "", "")
	}
}

func (c *checker) grant(cfg Config) {
	switch cfg.Kind() {
	case TypeClientCredentials: // R276
		c.missing("client_id", "the id of a registered client", cfg.ClientID == "")
		c.missing("client_secret", "client_secret or private_key", cfg.ClientSecret.IsZero() && cfg.PrivateKey.IsZero())
	case TypeJWTBearer:
		c.missing("assertion", "the platform's token", cfg.Assertion.IsZero())
	case TypeEnterprise:
		c.missing("client_id", "the id of a client that the authorization server knows", cfg.ClientID == "" && cfg.ClientMetadataURL == "")
		c.missing("identity_provider.token_endpoint", "the identity provider's token endpoint", cfg.IdentityProvider.TokenEndpoint == "")
		c.missing("identity_provider.client_id", "this client's id there", cfg.IdentityProvider.ClientID == "")
	}
}

func (c *checker) store(store StoreConfig) {
	switch {
	case store.Path != "" && store.Key.IsZero():
		c.add("store.key", "tokens are not kept in files unencrypted", "", "32 bytes in base64 or hex")
	case store.Path == "" && !store.Key.IsZero():
		c.add("store.path", "a key without a folder", "", "both")
	}
}
