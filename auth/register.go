package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/errors"
)

// clientMetadata is what a client says of itself, in a registration (RFC 7591)
// and in its metadata document.
type clientMetadata struct {
	ClientID        string         `json:"client_id,omitempty"`
	ClientName      string         `json:"client_name"`
	RedirectURIs    []string       `json:"redirect_uris"`
	GrantTypes      []string       `json:"grant_types"`
	ResponseTypes   []string       `json:"response_types"`
	AuthMethod      Method         `json:"token_endpoint_auth_method"`
	ApplicationType string         `json:"application_type"`
	Keys            map[string]any `json:"jwks,omitempty"`
}

func (c Config) metadata(method Method) clientMetadata {
	name := c.ClientName
	if name == "" {
		name = "mcpclient"
	}
	return clientMetadata{
		ClientName:      name,
		RedirectURIs:    []string{c.redirectURL()},
		GrantTypes:      []string{"authorization_code", "refresh_token"}, // R272
		ResponseTypes:   []string{"code"},
		AuthMethod:      method,
		ApplicationType: applicationType(c.redirectURL()),
	}
}

// registrationKey: a registration is good for one issuer and redirect URL.
func (a *Authorizer) registrationKey(issuer string) Key {
	return Key{Kind: KindClient, Server: a.key, Issuer: issuer, ID: a.cfg.redirectURL()}
}

func (a *Authorizer) storedRegistration(ctx context.Context, issuer string) (*registration, error) {
	stored, _, err := read[registration](ctx, a.store, a.registrationKey(issuer))
	if err != nil || stored == nil || !stored.Expires.IsZero() && !a.now().Before(stored.Expires) {
		return nil, err
	}
	return stored, nil
}

// registered returns our registration with the issuer, a new one if there is
// none (R250, R253). One is made at a time, however many users begin at once.
func (a *Authorizer) registered(ctx context.Context, server *discovery.Server) (*registration, error) {
	select {
	case a.registering <- struct{}{}:
		defer func() { <-a.registering }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	stored, err := a.storedRegistration(ctx, server.Issuer)
	if err != nil || stored != nil {
		return stored, err
	}
	made, err := a.register(ctx, server)
	if err != nil {
		return nil, err
	}
	return made, write(ctx, a.store, a.registrationKey(server.Issuer), made, made.Expires)
}

// register registers a client (RFC 7591).
func (a *Authorizer) register(ctx context.Context, server *discovery.Server) (*registration, error) {
	method := a.cfg.AuthMethod
	if method == "" || method == MethodPrivateKeyJWT {
		// A program on the user's machine keeps no secret from the user.
		confidential := applicationType(a.cfg.redirectURL()) == "web" || !listsOrOmits(server.TokenEndpointAuthMethods, MethodNone)
		method = chooseMethod(server.TokenEndpointAuthMethods, confidential, false)
	}
	body, err := json.Marshal(a.cfg.metadata(method))
	if err != nil {
		return nil, err
	}
	response, err := a.finder.Client().Post(ctx, server.RegistrationEndpoint, "application/json", nil, body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errors.ErrClientRegistration, err)
	}
	if response.Status != 201 && response.Status != 200 {
		return nil, a.registrationError(server, response.Status, response.Body)
	}
	var answer struct {
		ClientID string `json:"client_id"`
		Secret   string `json:"client_secret"`
		Method   Method `json:"token_endpoint_auth_method"`
		Expires  int64  `json:"client_secret_expires_at"`
	}
	if json.Unmarshal(response.Body, &answer) != nil || answer.ClientID == "" {
		return nil, fmt.Errorf("%w: the authorization server %q answered without a client_id", errors.ErrClientRegistration, errors.PeerText(server.Issuer, 200))
	}
	made := &registration{ClientID: answer.ClientID, Secret: answer.Secret, Method: answer.Method}
	if made.Method == "" {
		made.Method = chooseMethod(server.TokenEndpointAuthMethods, answer.Secret != "", false)
	}
	if answer.Secret != "" && answer.Expires > 0 {
		made.Expires = time.Unix(answer.Expires, 0)
	}
	return made, nil
}

// registrationError says what to do about a refusal (R252).
func (a *Authorizer) registrationError(server *discovery.Server, status int, body []byte) error {
	refusal := parseRefusal(status, body)
	hint := ""
	if refusal.code == "invalid_redirect_uri" {
		hint = fmt.Sprintf("; auth.redirect_url is %q", errors.PeerText(a.cfg.redirectURL(), 200))
	}
	return fmt.Errorf("%w: the authorization server %q: %w%s", errors.ErrClientRegistration, errors.PeerText(server.Issuer, 200), refusal, hint)
}

func listsOrOmits(listed []string, method Method) bool {
	if len(listed) == 0 {
		return true
	}
	for _, name := range listed {
		if name == string(method) {
			return true
		}
	}
	return false
}
