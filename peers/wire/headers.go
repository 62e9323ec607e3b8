package wire

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// requestProblems says what is wrong with the head of an HTTP request,
// whatever message it carries.
func requestProblems(r Record) []string {
	var wanted []string
	switch r.Method {
	case http.MethodPost:
		wanted = []string{"application/json", "text/event-stream"}
		if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
			return []string{fmt.Sprintf("%s: Content-Type is %q", r, kind)}
		}
	case http.MethodGet:
		wanted = []string{"text/event-stream"}
	}
	for _, kind := range wanted {
		if !strings.Contains(r.Header.Get("Accept"), kind) {
			return []string{fmt.Sprintf("%s: Accept is %q, without %s", r, r.Header.Get("Accept"), kind)}
		}
	}
	return nil
}

// headerProblems says what is wrong with the headers that have to agree with a
// message. header is nil where there is no HTTP. initialized says that a
// handshake of the legacy era came before.
func headerProblems(header http.Header, m envelope, version mcp.Version, initialized bool) []string {
	if header == nil {
		return nil
	}
	var problems []string
	expect := func(name, found, wanted string) {
		if found != wanted {
			problems = append(problems, fmt.Sprintf("header %s is %q instead of %q", name, found, wanted))
		}
	}
	told := header.Get(mcp.HeaderProtocolVersion)
	switch {
	case m.Params.Meta.ProtocolVersion != "":
		expect(mcp.HeaderProtocolVersion, told, string(m.Params.Meta.ProtocolVersion))
		expect(mcp.HeaderMethod, header.Get(mcp.HeaderMethod), m.Method)
		switch m.Method {
		case mcp.MethodCallTool, mcp.MethodGetPrompt:
			expect(mcp.HeaderName, plain(header.Get(mcp.HeaderName)), m.Params.Name)
		case mcp.MethodReadResource:
			expect(mcp.HeaderName, plain(header.Get(mcp.HeaderName)), m.Params.URI)
		}
	case initialized && !slices.Contains([]mcp.Version{mcp.Version20241105, mcp.Version20250326}, version):
		expect(mcp.HeaderProtocolVersion, told, string(version))
	}
	return problems
}

// plain undoes the encoding of values that a header cannot hold.
func plain(value string) string {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
	if err != nil {
		return value
	}
	return string(text)
}
