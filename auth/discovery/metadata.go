// Package discovery finds out how a server wants to be authorized for: the
// metadata of the protected resource (RFC 9728) and of its authorization server
// (RFC 8414 and OpenID Connect discovery). What it returns has been checked: the
// resource is the one asked for, the issuer is the one the URL was made from,
// and every endpoint may be used (R238-R244, R255, R303).
package discovery

import (
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
)

// ErrNotFound: nobody publishes the metadata. It is no reason to stop, unlike
// metadata that is wrong.
var ErrNotFound = errors.New("no metadata found")

// Resource is what a protected resource says of itself.
type Resource struct {
	// Resource is its identifier, exactly as it was written.
	Resource string `json:"resource"`
	// AuthorizationServers are issuers; never empty.
	AuthorizationServers []string `json:"authorization_servers"`
	// ScopesSupported are the scopes that it knows.
	ScopesSupported []string `json:"scopes_supported"`
	// RequiresDPoP says that it takes only tokens that are bound to a key.
	RequiresDPoP bool `json:"dpop_bound_access_tokens_required"`
}

// Server is what an authorization server says of itself.
type Server struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ScopesSupported       []string `json:"scopes_supported"`
	CodeChallengeMethods  []string `json:"code_challenge_methods_supported"`
	// TokenEndpointAuthMethods is nil if the server does not say.
	TokenEndpointAuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	GrantProfiles            []string `json:"authorization_grant_profiles_supported"`
	DPoPAlgorithms           []string `json:"dpop_signing_alg_values_supported"`
	// SendsIssuer: authorization responses carry iss (RFC 9207).
	SendsIssuer bool `json:"authorization_response_iss_parameter_supported"`
	// TakesMetadataDocuments: a client id may be the URL of a document.
	TakesMetadataDocuments bool `json:"client_id_metadata_document_supported"`
	// Assumed: the server publishes nothing, and these are the endpoints of
	// 2025-03-26 (R244).
	Assumed bool `json:"-"`
}

// OffersScope reports whether the server lists the scope.
func (s *Server) OffersScope(scope string) bool { return slices.Contains(s.ScopesSupported, scope) }

// CheckPKCE is an error unless the server supports S256. That its metadata does
// not say so means that it does not (R255); with assumed endpoints there is no
// metadata, and 2025-03-26 requires it of every server.
func (s *Server) CheckPKCE() error {
	if s.Assumed || slices.Contains(s.CodeChallengeMethods, "S256") {
		return nil
	}
	return wrong("the authorization server %s does not list S256 in code_challenge_methods_supported, and without PKCE a code could be stolen",
		quoted(s.Issuer))
}
