package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/dpop"
	"github.com/mcp-client-go/mcpclient/auth/internal/fetch"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/redact"
)

const formType = "application/x-www-form-urlencoded"

// refusal is an error answer of an authorization server (RFC 6749, 5.2).
type refusal struct {
	status            int
	code, description string // bounded and escaped
}

// Error renders status, code and description.
func (r *refusal) Error() string {
	text := "HTTP status " + strconv.Itoa(r.status)
	if r.code != "" {
		text += ": " + r.code
	}
	if r.description != "" {
		text += " (" + r.description + ")"
	}
	return text
}

// parseRefusal reads one. What was sent and is secret is not shown, should the
// server repeat it.
func parseRefusal(status int, body []byte, sent *redact.Filter) *refusal {
	var answer struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(body, &answer) // a web page has neither
	return &refusal{status, errors.PeerText(sent.Text(answer.Code), 80), errors.PeerText(sent.Text(answer.Description), 300)}
}

// secretsOf returns a filter for what of a request is secret.
func secretsOf(form url.Values, header http.Header) *redact.Filter {
	var secrets []string
	for _, name := range []string{
		"assertion", "client_assertion", "client_secret", "code", "code_verifier", "refresh_token", "state", "subject_token", "token",
	} {
		secrets = append(secrets, form[name]...)
	}
	for _, name := range []string{authorizationHeader, dpop.Header} {
		secrets = append(secrets, header.Values(name)...)
	}
	return redact.New(secrets...)
}

// tokenAnswer is a successful answer of a token endpoint.
type tokenAnswer struct {
	hidden
	Access    string          `json:"access_token"`
	Type      string          `json:"token_type"`
	Refresh   string          `json:"refresh_token"`
	Scope     *string         `json:"scope"`
	ExpiresIn json.RawMessage `json:"expires_in"`
}

// lifetime reads expires_in, also from the text that some servers make of the
// number; 0 if it is unknown.
func (t *tokenAnswer) lifetime() time.Duration {
	const longest = 10 * 365 * 24 * 3600
	seconds, err := strconv.ParseFloat(strings.Trim(string(t.ExpiresIn), `"`), 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, longest) * float64(time.Second))
}

// tokenRequest is a request to a token endpoint.
type tokenRequest struct {
	fetch    *fetch.Client
	endpoint string
	audience string // of the client's assertion: the issuer
	client   *client
	form     url.Values
	prover   *dpop.Prover // nil: an unbound token is wanted
}

// send makes the request; if the endpoint wants its nonce in the proof, once
// more with it (RFC 9449, 8). Errors never show what was sent.
func (a *Authorizer) send(ctx context.Context, r tokenRequest) (*tokenAnswer, error) {
	for again := true; ; again = false {
		response, sent, err := a.post(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errors.ErrTokenRequest, err)
		}
		if r.prover != nil {
			r.prover.Learn(r.endpoint, response.Header)
		}
		if response.Status == http.StatusOK {
			return r.read(response.Body)
		}
		refused := parseRefusal(response.Status, response.Body, sent)
		if refused.code != dpop.ErrorNonce || r.prover == nil || response.Header.Get(dpop.HeaderNonce) == "" || !again {
			return nil, fmt.Errorf("%w: %s: %w", errors.ErrTokenRequest, fetch.DisplayText(r.endpoint), refused)
		}
	}
}

// post makes the request once; sent is what of it is secret.
func (a *Authorizer) post(ctx context.Context, r tokenRequest) (response *fetch.Response, sent *redact.Filter, err error) {
	header, form := make(http.Header), maps.Clone(r.form)
	if err := r.client.authenticate(form, header, r.audience, a.now()); err != nil {
		return nil, nil, err
	}
	if r.prover != nil {
		proof, err := r.prover.Proof(http.MethodPost, r.endpoint, "", a.now())
		if err != nil {
			return nil, nil, err
		}
		header.Set(dpop.Header, proof)
	}
	response, err = r.fetch.Post(ctx, r.endpoint, formType, header, []byte(form.Encode()))
	return response, secretsOf(form, header), err
}

func (r tokenRequest) read(body []byte) (*tokenAnswer, error) {
	var answer tokenAnswer
	if json.Unmarshal(body, &answer) != nil || answer.Access == "" {
		return nil, fmt.Errorf("%w: %s: the answer has no access_token", errors.ErrTokenRequest, fetch.DisplayText(r.endpoint))
	}
	if !isTokenText(answer.Access) {
		return nil, fmt.Errorf("%w: %s: the token cannot be put into a header", errors.ErrTokenRequest, fetch.DisplayText(r.endpoint))
	}
	return &answer, nil
}

// checkType refuses a token that is not used the way we are going to: one that
// is not bound though a proof was given, or bound though none was.
func (t *tokenAnswer) checkType(bound bool) error {
	want := schemeBearer
	if bound {
		want = dpop.Scheme
	}
	if strings.EqualFold(t.Type, want) || t.Type == "" && !bound {
		return nil
	}
	shown := redact.New(t.Access, t.Refresh).Text(t.Type)
	return fmt.Errorf("%w: a token of the type %q was issued, %q is wanted", errors.ErrTokenRequest, errors.PeerText(shown, 40), want)
}

// isTokenText: visible ASCII only.
func isTokenText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
