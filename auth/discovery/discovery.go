package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcp-client-go/mcpclient/auth/internal/fetch"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Finder looks metadata up for one MCP server. It keeps nothing, and is safe for
// concurrent use.
type Finder struct {
	client *fetch.Client
	rules  fetch.Rules
	server *url.URL
}

// NewFinder returns a finder for the MCP server at the URL, which may lead to hosts
// of the public internet and to its own.
func NewFinder(client *http.Client, server *url.URL) *Finder {
	guard := dial.NewGuard(false, nil, nil).AllowServer(server)
	return NewFinderWith(fetch.New(client, fetch.RulesFor(server, guard, "")), server)
}

// NewFinderWith is NewFinder with the rules of the client.
func NewFinderWith(client *fetch.Client, server *url.URL) *Finder {
	return &Finder{client: client, rules: client.Rules(), server: server}
}

// Client is what the finder fetches with, for further requests under the same
// rules.
func (f *Finder) Client() *fetch.Client { return f.client }

// wrong is an error of metadata that must not be used.
func wrong(format string, arguments ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errors.ErrAuthorizationDiscovery}, arguments...)...)
}

func quoted(text string) string { return `"` + errors.PeerText(text, 200) + `"` }

// get fetches and decodes a document. found is false, with the reason, where
// there is none: the status is not 200, or it is no JSON object, as with servers
// that answer every path with a web page. err is about the network and rules.
func (f *Finder) get(ctx context.Context, target string, header http.Header, into any) (found bool, reason string, err error) {
	response, err := f.client.Get(ctx, target, header)
	if err != nil {
		return false, "", fmt.Errorf("%w: %w", errors.ErrAuthorizationDiscovery, err)
	}
	if response.Status != http.StatusOK {
		return false, fmt.Sprintf("%s: HTTP status %d", fetch.DisplayText(target), response.Status), nil
	}
	if err := json.Unmarshal(response.Body, into); err != nil {
		return false, fmt.Sprintf("%s: not metadata in JSON", fetch.DisplayText(target)), nil
	}
	return true, "", nil
}

// Resource finds the metadata of the MCP server: at the URL of its challenge if
// there was one, else, or if nothing is there, at the well-known place of its
// path, then of its origin (R238). expected is the identifier that it must have;
// empty means the server's own URL. ErrNotFound is returned if there is none.
func (f *Finder) Resource(ctx context.Context, challenged, expected string) (*Resource, error) {
	var reasons []string
	for _, place := range f.resourcePlaces(challenged) {
		var found Resource
		ok, reason, err := f.get(ctx, place, nil, &found)
		if err != nil {
			return nil, err
		}
		if !ok {
			reasons = append(reasons, reason)
			continue
		}
		return &found, f.checkResource(&found, place, expected)
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, strings.Join(reasons, "; "))
}

func (f *Finder) resourcePlaces(challenged string) []string {
	const wellKnown = "/.well-known/oauth-protected-resource"
	origin := Origin(f.server)
	places := []string{origin + wellKnown}
	if path := strings.TrimSuffix(f.server.EscapedPath(), "/"); path != "" {
		place := origin + wellKnown + path
		if f.server.RawQuery != "" {
			place += "?" + f.server.RawQuery
		}
		places = append([]string{place}, places...)
	}
	if challenged != "" {
		places = append([]string{challenged}, places...)
	}
	return places
}

func (f *Finder) checkResource(found *Resource, place, expected string) error {
	at := fetch.DisplayText(place)
	switch {
	case expected != "" && found.Resource != expected:
		return wrong("%s is about the resource %s, not about the configured %s", at, quoted(found.Resource), quoted(expected))
	case expected == "" && !covers(found.Resource, f.server):
		return wrong("%s is about the resource %s, not about %s", at, quoted(found.Resource), fetch.Display(f.server))
	case len(found.AuthorizationServers) == 0:
		return wrong("%s names no authorization server", at)
	}
	return nil
}

// covers reports whether the identifier is that of the server: its URL, or one
// with a shorter path on the same origin, as servers have that protect more than
// the one endpoint (R239).
func covers(identifier string, server *url.URL) bool {
	u, err := url.Parse(identifier)
	if err != nil || u.User != nil || strings.Contains(identifier, "#") || Origin(u) != Origin(server) {
		return false
	}
	if u.RawQuery != "" && u.RawQuery != server.RawQuery {
		return false
	}
	wide, narrow := strings.TrimSuffix(u.EscapedPath(), "/"), strings.TrimSuffix(server.EscapedPath(), "/")
	return wide == narrow || strings.HasPrefix(narrow, wide+"/")
}

// Origin returns scheme, host and port, in lower case, without a port that the
// scheme implies.
func Origin(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	case scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host
}

// Identifier returns the canonical identifier of an MCP server: scheme and host
// in lower case, no fragment, no slash at the end (R262).
func Identifier(server *url.URL) string {
	identifier := Origin(server) + strings.TrimSuffix(server.EscapedPath(), "/")
	if server.RawQuery != "" {
		identifier += "?" + server.RawQuery
	}
	return identifier
}

// versionHeader is sent with what 2025-03-26 has the client fetch (R244).
func versionHeader() http.Header {
	return http.Header{mcp.HeaderProtocolVersion: {string(mcp.Version20250326)}}
}

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
