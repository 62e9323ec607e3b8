package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/mcp-client-go/mcpclient/auth"
)

// Where the suite expects the client's metadata document, and the browser to come
// back to; nobody ever asks for either.
const (
	clientMetadataURL = "https://conformance-test.local/client-metadata.json"
	redirectURL       = "http://localhost:3000/callback"
)

// credentials is what the suite gives some scenarios of authorization.
type credentials struct {
	ClientID         string `json:"client_id"`
	ClientSecret     string `json:"client_secret"`
	Issuer           string `json:"issuer"`
	PrivateKey       string `json:"private_key_pem"`
	IDPClientID      string `json:"idp_client_id"`
	IDPTokenEndpoint string `json:"idp_token_endpoint"`
	IDPToken         string `json:"idp_id_token"`
	WorkloadToken    string `json:"valid_jwt"`
}

// authorization is the section auth for a scenario: what a user of the library
// would configure, knowing what the suite gave.
func (c credentials) authorization(name string) map[string]any {
	section := map[string]any{"client_metadata_url": clientMetadataURL, "redirect_url": redirectURL}
	set := func(key, value string) {
		if value != "" {
			section[key] = value
		}
	}
	set("client_id", c.ClientID)
	set("client_secret", c.ClientSecret)
	set("private_key", c.PrivateKey)
	set("issuer", c.Issuer)
	switch name {
	case "client-credentials-basic", "client-credentials-jwt":
		section["type"] = "client_credentials"
	case "wif-jwt-bearer":
		section["type"] = "jwt_bearer"
		set("assertion", c.WorkloadToken)
	case "enterprise-managed-authorization":
		section["type"] = "enterprise_managed"
		section["identity_provider"] = map[string]any{
			"token_endpoint": c.IDPTokenEndpoint, "client_id": c.IDPClientID, "id_token": c.IDPToken,
		}
	}
	return section
}

// consent is a user who agrees to everything: the suite's authorization servers
// redirect at once, so that the browser is a single request.
func consent(ctx context.Context, asked auth.AuthorizationRequest) (url.Values, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, asked.URL, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	back, err := response.Location()
	if err != nil {
		return nil, errors.New("the authorization server does not redirect back: " + response.Status)
	}
	return back.Query(), nil
}
