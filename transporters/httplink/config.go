package httplink

import (
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Defaults of Config.
const (
	defaultReadTimeout      = 30 * time.Second
	defaultCloseTimeout     = 3 * time.Second
	defaultMaxResponseBytes = 32 << 20
)

// Config is the part of a server's section that its HTTP link knows. Fields
// that are zero have the defaults that their tags name.
type Config struct {
	// BaseURL is the endpoint: a URL, used exactly as written, or the address of a
	// Unix socket.
	BaseURL string `config:"base_url,required,alias=url" doc:"the endpoint: an absolute http or https URL, used exactly as written, or a Unix socket: unix:///run/mcp.sock#/mcp (the HTTP path behind #; http+unix://%2Frun%2Fmcp.sock/mcp and unix:/run/mcp.sock:/mcp mean the same)"`
	// Token is sent as a bearer token.
	Token config.Secret `config:"token" doc:"bearer token; an Authorization among headers goes before it"`
	// Headers are added to every request, below the protocol's own.
	Headers map[string]config.Secret `config:"headers" doc:"added to every request; the protocol's own headers always win"`
	// IdentityHeaders are the names of headers whose value, given for a call,
	// says whom it is for. The link only checks them.
	IdentityHeaders []string `config:"identity_headers" doc:"headers of a call that say whom it is for, so that no session is shared"`
	// ReadTimeout is the longest stall once a body has begun.
	ReadTimeout config.Duration `config:"read_timeout" default:"30s" doc:"longest stall once a body has begun; must exceed the server's keep-alive interval"`
	// ListenReadTimeout is the same for listen streams.
	ListenReadTimeout config.Duration `config:"listen_read_timeout" default:"off" doc:"the same for listen streams"`
	// MaxResponseBytes bounds a buffered body, decompressed, and one event.
	MaxResponseBytes int64 `config:"max_response_bytes" default:"33554432" doc:"limit of a buffered body (decompressed) and of one event"`
	// CloseTimeout bounds the DELETE at close.
	CloseTimeout config.Duration `config:"close_timeout" default:"3s" doc:"longest wait for the DELETE at close"`
	// SessionLostMatch are texts of a 400 answer that mean a lost session.
	SessionLostMatch []string `config:"session_lost_match" doc:"texts of a 400 answer that mean that the session is lost; absent: a built-in list"`
	// Proxy is a URL, env or off.
	Proxy config.Secret `config:"proxy" doc:"URL of a proxy (http, https, socks5), env (the default) or off"`
	// TLS says whom to trust.
	TLS TLS `config:"tls" doc:"TLS settings"`
	// Network says which addresses may be connected to.
	Network Network `config:"network" doc:"which addresses may be connected to"`
}

// Network holds the keys under network. What the configuration names itself
// (base_url, proxy, the endpoints under auth) is allowed; to what a server points,
// as the metadata of its authorization does, the rules apply. Deny is above all.
type Network struct {
	AllowPrivate bool     `config:"allow_private" doc:"let the server lead this client to loopback, private, link-local and other special addresses, as the metadata of its authorization may; the addresses that this configuration names are allowed without"`
	Allow        []string `config:"allow" doc:"hosts, globs of hosts (*.corp.example), addresses and CIDRs that the server may lead to although they are not public"`
	Deny         []string `config:"deny" doc:"hosts, globs of hosts, addresses and CIDRs that are never connected to; wins over everything, base_url and proxy included"`
}

// TLS holds the keys under tls.
type TLS struct {
	CAFile             string `config:"ca_file,path" doc:"PEM file of the authorities to trust instead of the system's"`
	CertFile           string `config:"cert_file,path" doc:"PEM file of the client's certificate; read again for each connection"`
	KeyFile            string `config:"key_file,path" doc:"PEM file of its key"`
	ServerName         string `config:"server_name" doc:"name to expect in the server's certificate instead of the URL's host"`
	MinVersion         string `config:"min_version" default:"1.2" values:"1.2,1.3" doc:"oldest TLS version: 1.2 or 1.3"`
	InsecureSkipVerify bool   `config:"insecure_skip_verify" doc:"accept any certificate; for tests only"`
}

// CloseTimeoutValue returns close_timeout, or its default of 3 s; 0 means that
// it is off.
func (c Config) CloseTimeoutValue() time.Duration { return c.CloseTimeout.Or(defaultCloseTimeout) }

func (c Config) maxResponseBytes() int64 {
	if c.MaxResponseBytes > 0 {
		return c.MaxResponseBytes
	}
	return defaultMaxResponseBytes
}

// dialSettings resolves what the transport is made of, except guard and socket.
func (c Config) dialSettings() (dial.Settings, error) {
	proxy, err := c.Proxy.Reveal()
	if err != nil {
		return dial.Settings{}, fmt.Errorf("proxy: %w", err)
	}
	version, err := c.TLS.version()
	if err != nil {
		return dial.Settings{}, err
	}
	return dial.Settings{
		CAFile:             c.TLS.CAFile,
		CertFile:           c.TLS.CertFile,
		KeyFile:            c.TLS.KeyFile,
		ServerName:         c.TLS.ServerName,
		MinVersion:         version,
		InsecureSkipVerify: c.TLS.InsecureSkipVerify,
		Proxy:              proxy,
	}, nil
}
