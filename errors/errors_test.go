package errors_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func ExampleSafeToRetry() {
	err := error(&errors.TransporterRequestError{
		Server: "github", Action: "tools/call", Kind: errors.KindTransport,
		Delivery: errors.DeliveryNotSent, Err: errors.ErrNotSent,
	})
	fmt.Println(errors.SafeToRetry(err))
	// Output: true
}

func TestSafeToRetry(t *testing.T) {
	failure := func(d errors.Delivery, code int) error {
		return &errors.TransporterRequestError{Delivery: d, Code: code}
	}
	for _, test := range []struct {
		name string
		err  error
		safe bool
	}{
		{"nil", nil, false},
		{"any error", fs.ErrNotExist, false},
		{"not sent", failure(errors.DeliveryNotSent, 0), true},
		{"refused", failure(errors.DeliveryRefused, 0), true},
		{"unknown", failure(errors.DeliveryUnknown, 0), false},
		{"answered", failure(errors.DeliveryAnswered, -32603), false},
		{"answered: header mismatch", failure(errors.DeliveryAnswered, -32020), true},
		{"answered: version", failure(errors.DeliveryAnswered, -32022), true},
		{"that code, fate unknown", failure(errors.DeliveryUnknown, -32022), false},
		{"wrapped", fmt.Errorf("calling: %w", failure(errors.DeliveryNotSent, 0)), true},
		{"the sentinel alone", fmt.Errorf("%w: pipe full", errors.ErrNotSent), true},
	} {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.safe, errors.SafeToRetry(test.err)) })
	}
}

// TestRequestErrorText: one line that names server, action and cause, then the
// process's last words.
func TestRequestErrorText(t *testing.T) {
	for _, test := range []struct {
		err  errors.TransporterRequestError
		want string
	}{
		{errors.TransporterRequestError{Server: "a", Action: "tools/call", Kind: errors.KindPeer, Code: -32602, Message: "Unknown tool"},
			`mcp server "a": tools/call: server answered with error -32602: Unknown tool`},
		{errors.TransporterRequestError{Server: "a", Action: "tools/list", Kind: errors.KindStatus, Status: 502, Message: "Bad Gateway", Snippet: "<html>"},
			`mcp server "a": tools/list: HTTP status 502: Bad Gateway: body begins "<html>"`},
		{errors.TransporterRequestError{Server: "a", Err: errors.ErrPeerLost, Stderr: "boom"},
			"mcp server \"a\": peer lost; stderr ends:\nboom"},
		{errors.TransporterRequestError{Server: "a", Kind: errors.KindTimeout}, `mcp server "a": timeout`},
		{errors.TransporterRequestError{Server: "a", Action: "tools/list", Message: "initialize: process ended: exit status 3",
			Err: fmt.Errorf("%w: %w", errors.ErrStartFailed, errors.ErrPeerLost), Stderr: "no licence"},
			"mcp server \"a\": tools/list: initialize: process ended: exit status 3; stderr ends:\nno licence"},
		{errors.TransporterRequestError{Server: "a", Action: "tools/list", Message: "initialize", Err: errors.ErrPeerLost},
			`mcp server "a": tools/list: initialize: peer lost`},
		{errors.TransporterRequestError{Server: "a", Action: "tools/list", Message: "initialize",
			Err: fmt.Errorf("%w: no handshake within 1s (connect_timeout): %w", errors.ErrConnectTimeout, errors.ErrRequestTimeout)},
			`mcp server "a": tools/list: initialize: no handshake within 1s (connect_timeout)`},
		{errors.TransporterRequestError{Server: "a", Action: "tools/list", Kind: errors.KindStatus, Status: 404, Message: "server/discover: Not Found"},
			`mcp server "a": tools/list: server/discover: HTTP status 404: Not Found`},
		{errors.TransporterRequestError{Server: "a", Action: "tools/list", Kind: errors.KindStatus, Status: 500,
			Message: "initialize (after server/discover: HTTP status 404): Internal Server Error"},
			`mcp server "a": tools/list: initialize (after server/discover: HTTP status 404): HTTP status 500: Internal Server Error`},
		{errors.TransporterRequestError{Server: "a", Action: "tools/list", Message: "initialize (after server/discover: HTTP status 404)", Err: errors.ErrPeerLost},
			`mcp server "a": tools/list: initialize (after server/discover: HTTP status 404): peer lost`},
		{errors.TransporterRequestError{Server: "a", Err: fmt.Errorf("initialize: %w: no handshake within 1s: %w", errors.ErrConnectTimeout, errors.ErrRequestTimeout)},
			`mcp server "a": initialize: no handshake within 1s`},
		{errors.TransporterRequestError{Server: "a", Action: "x", Kind: errors.KindPeer, Code: 7, Message: "initialize: no"},
			`mcp server "a": x: initialize: server answered with error 7: no`},
		{errors.TransporterRequestError{Server: "a", Action: "x", Err: fmt.Errorf("%w: no such program", errors.ErrStartFailed)},
			`mcp server "a": x: server failed to start: no such program`},
		{errors.TransporterRequestError{Server: "a", Action: "x", Message: `tool "t" matches "*" of tools.deny`, Err: errors.ErrToolDenied},
			`mcp server "a": x: tool "t" matches "*" of tools.deny: denied by configuration`},
		{errors.TransporterRequestError{Server: "a", Action: "x", Kind: errors.KindStatus, Status: 503, Message: "Service Unavailable", Snippet: "later", Attempts: 3},
			`mcp server "a": x: HTTP status 503: Service Unavailable (3 attempts): body begins "later"`},
		{errors.TransporterRequestError{Server: "a", Err: errors.ErrPeerLost, Attempts: 1}, `mcp server "a": peer lost`},
	} {
		require.Equal(t, test.want, test.err.Error())
	}
}

// What a peer sent is escaped once, where the error is made.
func TestASnippetIsEscapedOnce(t *testing.T) {
	err := errors.TransporterRequestError{Server: "a", Message: "not JSON", Snippet: errors.PeerText("<html>\n<p class=\"x\">", 100)}
	require.Equal(t, `mcp server "a": not JSON: body begins "<html>\n<p class="x">"`, err.Error())
}

func TestRequestErrorUnwraps(t *testing.T) {
	err := error(&errors.TransporterRequestError{Err: fmt.Errorf("%w: %w", errors.ErrRequestTimeout, context.Canceled)})
	require.ErrorIs(t, err, errors.ErrRequestTimeout)
	require.ErrorIs(t, err, context.Canceled)
	found, ok := errors.AsType[*errors.TransporterRequestError](fmt.Errorf("x: %w", err))
	require.True(t, ok)
	require.Same(t, err, found)
}

func TestFaultText(t *testing.T) {
	fault := errors.Fault{Server: "a", Key: "timeout", File: "mcp.yaml", Line: 3, Column: 5,
		Message: "not a duration", Found: `"x"`, Allowed: "30s", Nearest: "y"}
	require.Equal(t, `mcp.yaml:3:5: server "a": timeout: not a duration; found "x"; allowed: 30s; did you mean "y"?`, fault.String())
	require.Equal(t, "broken", errors.Fault{Message: "broken"}.String())
	err := &errors.ServerConfigurationError{Faults: []errors.Fault{{Message: "one"}, {Message: "two"}}}
	require.Equal(t, "one\ntwo", err.Error())
}

// TestPeerText holds P103: no control character, no bidirectional override, no
// broken UTF-8 leaves, and never more than the limit and the mark of the cut.
func TestPeerText(t *testing.T) {
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"plain", 10, "plain"},
		{"größe", 20, "größe"},
		{"a\x1b[31mred\x00\n\t", 50, `a\x1b[31mred\x00\n\t`},
		{"\u202egnirts", 20, `\u202egnirts`},
		{"\xff\xfe", 20, `\xff\xfe`},
		{"abcdef", 3, "abc..."},
		{"aöb", 2, "a..."},
		{"", 0, ""},
	} {
		require.Equal(t, test.want, errors.PeerText(test.text, test.limit), "%q", test.text)
	}
	require.LessOrEqual(t, len(errors.PeerText(strings.Repeat("\x00", 1000), 100)), 103)
}

func TestNames(t *testing.T) {
	require.Equal(t, "peer error", errors.KindPeer.String())
	require.Equal(t, "unknown", errors.Kind(200).String())
	require.Equal(t, []string{"unknown", "not sent", "refused", "answered"}, []string{
		errors.DeliveryUnknown.String(), errors.DeliveryNotSent.String(), errors.DeliveryRefused.String(), errors.DeliveryAnswered.String()})
}
