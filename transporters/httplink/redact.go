package httplink

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/redact"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Some servers repeat in an error what they were sent. The filter for it is made
// only where an error is built, from the secrets as they are by then.

// filter knows the secrets that were sent with a request.
func (l *Link) filter(ctx context.Context) *redact.Filter {
	return redact.New(slices.Concat(l.headers.secrets(ctx), querySecrets(l.endpoint.url), l.credentials.secrets(), l.proxySecrets())...)
}

// proxySecrets returns the URL of the proxy if it has a user in it. A proxy is
// sent them with every request over plain http, and may repeat what it is sent.
func (l *Link) proxySecrets() []string {
	text, err := l.cfg.Proxy.Reveal()
	if err != nil {
		return nil
	}
	choose, err := dial.ParseProxy(text)
	if err != nil || choose == nil || l.endpoint.url == nil {
		return nil
	}
	proxy, err := choose(&http.Request{URL: l.endpoint.url})
	if err != nil || proxy == nil || proxy.User == nil {
		return nil
	}
	return []string{proxy.String()}
}

// querySecrets returns the values in the URL's query that are likely to be secrets.
func querySecrets(endpoint *url.URL) []string {
	if endpoint == nil {
		return nil
	}
	var secrets []string
	for name, values := range endpoint.Query() {
		for _, value := range values {
			if redact.NameSuggestsSecret(name) || redact.IsKnownToken(value) {
				secrets = append(secrets, value)
			}
		}
	}
	return secrets
}

// hideSecrets keeps a server that repeats its request in an error from bringing
// our secrets into logs. What is not an error is not looked at.
func (l *Link) hideSecrets(ctx context.Context, message mcp.Message) mcp.Message {
	if message.Error == nil {
		return message
	}
	hidden := l.filter(ctx).JSON(message.Raw)
	if &hidden[0] == &message.Raw[0] {
		return message
	}
	if rewritten, err := jsonrpc.Scan(hidden); err == nil {
		return rewritten
	}
	message.Raw, message.Error = hidden, []byte(`{"message":"`+redact.Mask+`"}`) // a secret was the name of a member
	return message
}

// plainBody is the beginning of a body without secrets. A secret that the limit
// would cut in two is left out.
func (l *Link) plainBody(ctx context.Context, body []byte) []byte {
	filter := l.filter(ctx)
	if len(body) < errorBodyBytes {
		return filter.Bytes(body)
	}
	shown := filter.Bytes(body[:errorBodyBytes])
	return shown[:max(0, len(shown)-filter.Reach())]
}

// safeCause is an error that may be shown as well: where the peer has put a secret
// into it, nothing but its text is left, without that.
func (l *Link) safeCause(x *exchange, err error) error {
	text := err.Error()
	if safe := l.filter(x.values).Text(text); safe != text {
		return errors.New(errors.PeerText(safe, snippetBytes))
	}
	return withoutContext(err)
}

// peerText makes text of the peer's fit for errors and logs.
func (l *Link) peerText(x *exchange, text string, limit int) string {
	return errors.PeerText(l.filter(x.values).Text(text), limit)
}

const (
	challengeHeader = "Www-Authenticate"
	// maxChallenges and challengeBytes bound what of a refusal's challenges is
	// kept.
	maxChallenges  = 16
	challengeBytes = 4 << 10
)

// safeHeader returns the header of a refusal with its challenges bounded, escaped
// and without secrets, since they become part of an error. The response's own
// header is not changed.
func (l *Link) safeHeader(ctx context.Context, response *http.Response) http.Header {
	header := response.Header
	if response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusForbidden || len(header[challengeHeader]) == 0 {
		return header
	}
	filter := l.filter(ctx)
	given := header[challengeHeader]
	challenges := make([]string, 0, min(len(given), maxChallenges))
	for _, challenge := range given[:min(len(given), maxChallenges)] {
		challenges = append(challenges, errors.PeerText(filter.Text(challenge), challengeBytes))
	}
	header = header.Clone()
	header[challengeHeader] = challenges
	return header
}
