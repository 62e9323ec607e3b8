package auth

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// internet is what a public server, its authorization server and everybody else
// answer, by URL. No name is looked up and nothing is dialled.
type internet struct {
	mu     sync.Mutex
	pages  map[string]page
	visits []string

	forms   []url.Values
	headers []http.Header
}

type page struct {
	status int
	body   string
	header http.Header
	echo   bool // everything that was sent comes back in every place
}

// The places of an honest world.
const (
	publicServer   = "https://mcp.example.com/mcp"
	publicIssuer   = "https://as.example.com"
	resourcePlace  = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
	serverPlace    = publicIssuer + "/.well-known/oauth-authorization-server"
	tokenPlace     = publicIssuer + "/token"
	registerPlace  = publicIssuer + "/register"
	authorizePlace = publicIssuer + "/authorize"
	honestToken    = `{"access_token":"canary-access","refresh_token":"canary-refresh","token_type":"Bearer","expires_in":3600}`
)

// honest is a world in which all is well, until a test changes it.
func honest() *internet {
	return &internet{pages: map[string]page{
		publicServer:   {status: 200},
		resourcePlace:  {body: `{"resource":"` + publicServer + `","authorization_servers":["` + publicIssuer + `"]}`},
		serverPlace:    {body: serverDocument("", "")},
		registerPlace:  {status: 201, body: `{"client_id":"client-1"}`},
		tokenPlace:     {body: honestToken},
		authorizePlace: {},
	}}
}

// serverDocument is the authorization server's, with one member changed.
func serverDocument(member, value string) string {
	members := map[string]string{
		"issuer": publicIssuer, "authorization_endpoint": authorizePlace, "token_endpoint": tokenPlace, "registration_endpoint": registerPlace,
	}
	if member != "" {
		members[member] = value
	}
	text := `{"code_challenge_methods_supported":["S256"]`
	for name, value := range members {
		text += fmt.Sprintf(",%q:%q", name, value)
	}
	return text + "}"
}

// RoundTrip implements http.RoundTripper.
func (i *internet) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
		_ = request.Body.Close()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	form, _ := url.ParseQuery(string(body))
	i.forms = append(i.forms, form)
	i.headers = append(i.headers, request.Header.Clone())
	place := request.URL.String()
	i.visits = append(i.visits, place)
	found, ok := i.pages[place]
	if !ok {
		found = page{status: 404, body: "<html>nothing here"}
	}
	if found.status == 0 {
		found.status = 200
	}
	header := found.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if found.echo {
		said := fmt.Sprintf("%v %v %s", form, request.Header, body)
		text, _ := json.Marshal(map[string]string{"error": "invalid_grant", "error_description": said})
		found.body = string(text)
		header.Add("WWW-Authenticate", fmt.Sprintf("Bearer error=%q, error_description=%q", "invalid_token", said))
	}
	return &http.Response{
		StatusCode: found.status, Header: header, Body: io.NopCloser(strings.NewReader(found.body)), Request: request,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
	}, nil
}

func (i *internet) visited(host string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(i.visits, func(place string) bool {
		u, err := url.Parse(place)
		return err == nil && u.Host == host
	})
}
