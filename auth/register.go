package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

func (c Config) metadata(method Method, redirect string) clientMetadata {
	name := c.ClientName
	if name == "" {
		name = "mcpclient"
	}
	return clientMetadata{
		ClientName:      name,
		RedirectURIs:    []string{redirect},
		GrantTypes:      []string{"authorization_code", "refresh_token"}, // R272
		ResponseTypes:   []string{"code"},
		AuthMethod:      method,
		ApplicationType: applicationType(redirect),
	}
}

// registrationKey is of the client to use for new authorizations: a registration
// is good for one issuer and redirect URL.
func (a *Authorizer) registrationKey(issuer, redirect string) Key {
	return Key{Kind: KindClient, Server: a.key, Issuer: issuer, ID: redirect}
}

// clientKey is of a client that tokens were issued to, which are refreshed and
// revoked by it even if others are used by now.
func (a *Authorizer) clientKey(issuer, id string) Key {
	return Key{Kind: KindClient, Server: a.key, Issuer: issuer, ID: "client " + id}
}

func (a *Authorizer) storedRegistration(ctx context.Context, key Key) (*registration, error) {
	stored, _, err := read[registration](ctx, a.store, key)
	if err != nil || stored == nil || !stored.Expires.IsZero() && !a.now().Before(stored.Expires) {
		return nil, err
	}
	return stored, nil
}

// registered returns our registration with the issuer, a new one if there is
// none (R250, R253). One is made at a time, however many users begin at once.
func (a *Authorizer) registered(ctx context.Context, server *discovery.Server, redirect string) (made *registration, err error) {
	key := a.registrationKey(server.Issuer, redirect)
	if made, err = a.storedRegistration(ctx, key); err != nil || made != nil {
		return made, err
	}
	select {
	case a.registering <- struct{}{}:
		defer func() { <-a.registering }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	err = a.alone(ctx, Key{Kind: KindLease, Server: a.key, Issuer: server.Issuer, ID: redirect}, func(ctx context.Context) error {
		if made, err = a.storedRegistration(ctx, key); err != nil || made != nil {
			return err
		}
		if made, err = a.register(ctx, server, redirect); err != nil {
			return err
		}
		if err := write(ctx, a.store, a.clientKey(server.Issuer, made.ClientID), made, made.Expires); err != nil {
			return err
		}
		return write(ctx, a.store, key, made, made.Expires)
	})
	return made, err
}

// register registers a client (RFC 7591).
func (a *Authorizer) register(ctx context.Context, server *discovery.Server, redirect string) (*registration, error) {
	method := a.cfg.AuthMethod
	if method == "" || method == MethodPrivateKeyJWT {
		// A program on the user's machine keeps no secret from the user.
		confidential := applicationType(redirect) == "web" || !listsOrOmits(server.TokenEndpointAuthMethods, MethodNone)
		method = chooseMethod(server.TokenEndpointAuthMethods, confidential, false)
	}
	body, err := json.Marshal(a.cfg.metadata(method, redirect))
	if err != nil {
		return nil, err
	}
	response, err := a.finder.Client().Post(ctx, server.RegistrationEndpoint, "application/json", nil, body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errors.ErrClientRegistration, err)
	}
	if response.Status != 201 && response.Status != 200 {
		return nil, registrationError(server, redirect, response.Status, response.Body)
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
	made := &registration{ClientID: answer.ClientID, Secret: answer.Secret, Method: answer.Method, Redirect: redirect}
	if made.Method == "" {
		made.Method = chooseMethod(server.TokenEndpointAuthMethods, answer.Secret != "", false)
	}
	if answer.Secret != "" && answer.Expires > 0 {
		made.Expires = time.Unix(answer.Expires, 0)
	}
	return made, nil
}

// registrationError says what to do about a refusal (R252).
func registrationError(server *discovery.Server, redirect string, status int, body []byte) error {
	refusal := parseRefusal(status, body, nil)
	hint := ""
	if refusal.code == "invalid_redirect_uri" {
		hint = fmt.Sprintf("; auth.redirect_url is %q", errors.PeerText(redirect, 200))
	}
	return fmt.Errorf("%w: the authorization server %q: %w%s", errors.ErrClientRegistration, errors.PeerText(server.Issuer, 200), refusal, hint)
}

func listsOrOmits(listed []string, method Method) bool {
	return len(listed) == 0 || slices.Contains(listed, string(method))
}
