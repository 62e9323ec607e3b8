package auth

import (
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/bearer"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Type is how calls are authorized.
type Type string

// The types.
const (
	// TypeNone: they are not. It takes back what defaults say.
	TypeNone Type = "none"
	// TypeBearer: by a token that something else makes (package bearer).
	TypeBearer Type = "bearer"
	// TypeOAuth: a user agrees in a browser (R254-R262).
	TypeOAuth Type = "oauth"
	// TypeClientCredentials: the client acts for itself (R276-R278).
	TypeClientCredentials Type = "client_credentials"
	// TypeJWTBearer: the client presents a token of its platform, for example of
	// a Kubernetes service account (workload identity, RFC 7523).
	TypeJWTBearer Type = "jwt_bearer"
	// TypeEnterprise: the company's identity provider vouches for the user
	// (enterprise-managed authorization, R279-R282).
	TypeEnterprise Type = "enterprise_managed"
)

// UnmarshalConfig implements config.Unmarshaler. OAuth's own name of the grant,
// authorization_code, is taken for oauth.
func (t *Type) UnmarshalConfig(v any) error {
	if v == grantCode {
		*t = TypeOAuth
		return nil
	}
	text, err := config.OneOf(v, string(TypeOAuth), string(TypeBearer), string(TypeClientCredentials), string(TypeJWTBearer), string(TypeEnterprise), string(TypeNone))
	*t = Type(text)
	return err
}

// Method is how the client authenticates at a token endpoint.
type Method string

// The methods. Empty means: the best one that the authorization server lists and
// the client has the means for (R273).
const (
	MethodNone          Method = "none"
	MethodBasic         Method = "client_secret_basic"
	MethodPost          Method = "client_secret_post"
	MethodPrivateKeyJWT Method = "private_key_jwt"
)

// UnmarshalConfig implements config.Unmarshaler.
func (m *Method) UnmarshalConfig(v any) error {
	text, err := config.OneOf(v, string(MethodNone), string(MethodBasic), string(MethodPost), string(MethodPrivateKeyJWT))
	*m = Method(text)
	return err
}

// DPoP says when tokens are bound to a key (RFC 9449).
type DPoP string

// When tokens are bound.
const (
	// DPoPAuto: where the server asks for it and the authorization server can.
	DPoPAuto DPoP = "auto"
	// DPoPAlways: otherwise no token is asked for.
	DPoPAlways DPoP = "always"
	DPoPNever  DPoP = "never"
)

// UnmarshalConfig implements config.Unmarshaler.
func (d *DPoP) UnmarshalConfig(v any) error {
	text, err := config.OneOf(v, string(DPoPAuto), string(DPoPAlways), string(DPoPNever))
	*d = DPoP(text)
	return err
}

// DefaultRedirectURL is where an authorization server sends the user's browser
// back to if nothing else is configured: this machine.
const DefaultRedirectURL = "http://127.0.0.1:8976/callback"

// Config is the section auth of an HTTP server. Its bearer part applies to
// TypeBearer, the rest to the types of OAuth. Without the section a server
// that wants a token gets none, and the call fails with ErrAuthRequired.
type Config struct {
	// Type is how calls are authorized; empty means TypeBearer where a token or a
	// command for one is given, else TypeOAuth. See Kind.
	Type Type `config:"type,alias=grant" values:"oauth,bearer,client_credentials,jwt_bearer,enterprise_managed,none" doc:"oauth (a user agrees in a browser), bearer, client_credentials, jwt_bearer, enterprise_managed or none; absent: bearer where token or token_command is given, else oauth"`
	bearer.Settings
	// ClientID is the id of a client that was registered beforehand.
	ClientID string `config:"client_id" doc:"id of a client that was registered beforehand"`
	// ClientSecret and PrivateKey prove it; neither makes it a public client.
	ClientSecret config.Secret `config:"client_secret" doc:"its secret"`
	PrivateKey   config.Secret `config:"private_key" doc:"its private key in PEM form, P-256 or RSA: ${file:/path/key.pem}"`
	KeyID        string        `config:"key_id" doc:"the key's id (kid), where the authorization server knows several"`
	// AuthMethod is how it authenticates.
	AuthMethod Method `config:"token_endpoint_auth_method" values:"none,client_secret_basic,client_secret_post,private_key_jwt" doc:"none, client_secret_basic, client_secret_post or private_key_jwt; absent: what the authorization server lists"`
	// Issuer is the authorization server that the client was registered with. Its
	// credentials are never sent to another one (R253).
	Issuer string `config:"issuer" doc:"the authorization server that client_id belongs to; needed where a server may name several"`
	// ClientMetadataURL is the client id where the authorization server takes
	// metadata documents.
	ClientMetadataURL string `config:"client_metadata_url" doc:"https URL of this client's metadata document, used as its id where that is supported"`
	// ClientName is shown to users who are asked for their consent.
	ClientName string `config:"client_name" default:"mcpclient" doc:"the client's name on consent pages"`
	// DynamicRegistration allows registering where nothing else is offered.
	DynamicRegistration bool `config:"dynamic_registration" default:"true" doc:"register with the authorization server where it offers nothing else"`
	// RedirectURL is where the browser comes back to.
	RedirectURL string `config:"redirect_url" default:"http://127.0.0.1:8976/callback" doc:"where the user's browser comes back to: https, or http on loopback"`
	// Resource is the identifier that the server's metadata must have.
	Resource string `config:"resource" doc:"identifier of the protected resource; absent: the one that the server publishes for its URL"`
	// ConsentTimeout is how long a user may take to agree. Time limits of calls
	// that wait for it stand still.
	ConsentTimeout config.Duration `config:"consent_timeout" default:"10m" doc:"how long a user may take to agree in the browser"`
	// Scopes are asked for where the server does not say which it wants.
	Scopes []string `config:"scopes" doc:"asked for where the server's challenge names none; absent: all that it supports"`
	// OfflineAccess asks for refresh tokens where the authorization server lists
	// the scope (R272).
	OfflineAccess bool `config:"offline_access" default:"true" doc:"ask for offline_access where the authorization server lists it"`
	// DPoP says when tokens are bound to a key.
	DPoP DPoP `config:"dpop" default:"auto" values:"auto,always,never" doc:"bind tokens to a key: auto, always or never"`
	// Assertion is the platform's token of type jwt_bearer, read anew each time.
	Assertion config.Secret `config:"assertion" doc:"for jwt_bearer: the platform's token, read anew each time: ${file:/var/run/secrets/token}"`
	// IdentityProvider is for type enterprise_managed.
	IdentityProvider IdentityProvider `config:"identity_provider" doc:"for enterprise_managed"`
	// Store is where tokens survive a restart.
	Store StoreConfig `config:"store" doc:"where tokens are kept; absent: in memory"`
}

// IdentityProvider is who vouches for users in type enterprise_managed.
type IdentityProvider struct {
	TokenEndpoint string        `config:"token_endpoint" doc:"where identity tokens are exchanged"`
	ClientID      string        `config:"client_id" doc:"this client's id there"`
	ClientSecret  config.Secret `config:"client_secret" doc:"its secret there, if it has one"`
	IDToken       config.Secret `config:"id_token" doc:"the user's identity token, where the program gives none for each principal"`
}

// StoreConfig names an encrypted folder.
type StoreConfig struct {
	Path string        `config:"path,path" doc:"folder of the encrypted records; absent: tokens are kept in memory"`
	Key  config.Secret `config:"key" doc:"32 bytes in base64 or hex that encrypt them"`
}

// String renders the configuration without secrets.
func (c Config) String() string {
	type plain Config // without methods
	return fmt.Sprintf("%+v", plain(c))
}

// GoString is String.
func (c Config) GoString() string { return c.String() }

// Guard returns the guard with the endpoints allowed that the configuration names:
// the issuer's and the identity provider's host and port.
func (c Config) Guard(guard dial.Guard) dial.Guard {
	for _, text := range []string{c.Issuer, c.IdentityProvider.TokenEndpoint} {
		if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
			guard = guard.AllowEndpoint(u)
		}
	}
	return guard
}

// Kind returns the type, the default for an empty one.
func (c Config) Kind() Type {
	switch {
	case c.Type != "":
		return c.Type
	case c.HasToken():
		return TypeBearer
	default:
		return TypeOAuth
	}
}

// unattended reports whether no user takes part.
func (c Config) unattended() bool { return c.Kind() != TypeOAuth }

// defaultConsentTimeout is how long a user may take.
const defaultConsentTimeout = 10 * time.Minute

func (c Config) consentTimeout() time.Duration {
	if d, ok := c.ConsentTimeout.Value(); ok {
		return d
	}
	return defaultConsentTimeout
}

func (c Config) redirectURL() string {
	if c.RedirectURL == "" {
		return DefaultRedirectURL
	}
	return c.RedirectURL
}
