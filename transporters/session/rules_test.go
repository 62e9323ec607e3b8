package session_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// The rules for transporters that this module keeps. Those about configuration
// and registration (4, 5, 16, 17 and the first and last don't) are held by the
// tests of packages factory and config and by the architecture test.

// Rule 1: the contract is one interface of one method.
func TestRule01OneMethod(t *testing.T) {
	contract := reflect.TypeFor[transporters.Transporter]()
	require.Equal(t, 1, contract.NumMethod())
	require.Equal(t, "Request", contract.Method(0).Name)
	var _ transporters.Transporter = (*session.Session)(nil)
}

// Rule 2: the result is the JSON-RPC result; a null or scalar one comes back as
// the full envelope.
func TestRule02Result(t *testing.T) {
	for _, test := range []struct {
		result   string
		envelope bool
	}{
		{`{"a":1}`, false}, {`{}`, false}, {`[1]`, false},
		{`null`, true}, {`7`, true}, {`"text"`, true}, {`true`, true},
	} {
		link := legacyLink(t)
		link.On("vendor/method").Return(test.result)
		s := newSession(t, link, nil)
		result, err := s.Request(t.Context(), "vendor/method", nil, nil)
		require.NoError(t, err)
		require.Equal(t, test.envelope, result.IsEnvelope(), test.result)
		if test.envelope {
			var envelope struct {
				JSONRPC string `json:"jsonrpc"`
				Result  json.RawMessage
			}
			require.NoError(t, result.Decode(&envelope))
			require.Equal(t, "2.0", envelope.JSONRPC)
			require.JSONEq(t, test.result, string(envelope.Result))
		} else {
			require.JSONEq(t, test.result, string(result.Raw()))
		}
	}
}

// Rule 3: every failure of the request path is the one error type, with the
// peer's code.
func TestRule03OneErrorType(t *testing.T) { // R016: the kind tells whose error it is
	for _, test := range []struct {
		kind   errors.Kind
		script func(*mcptest.Rule)
	}{
		{errors.KindPeer, func(r *mcptest.Rule) { r.Fail(-32042, "visit", map[string]any{"url": "x"}) }},
		{errors.KindStatus, func(r *mcptest.Rule) { r.Status(500).Body("boom") }},
		{errors.KindProtocol, func(r *mcptest.Rule) { r.Error(errors.ErrMessageTooLarge) }},
		{errors.KindTransport, func(r *mcptest.Rule) { r.Die(nil) }},
	} {
		link := legacyLink(t)
		test.script(link.On("tools/list"))
		s := newSession(t, link, nil)
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		require.True(t, ok)
		require.Equal(t, test.kind, failure.Kind)
		require.Equal(t, "peer", failure.Server)
		require.Equal(t, "tools/list", failure.Action)
		require.Equal(t, "3", failure.ID)
		if test.kind == errors.KindPeer {
			require.Equal(t, -32042, failure.Code)
			require.JSONEq(t, `{"url":"x"}`, string(failure.Data))
			require.Equal(t, errors.DeliveryAnswered, failure.Delivery)
		} else {
			require.Zero(t, failure.Code)
		}
	}
}

// Rule 3, an error without a message still tells its code.
func TestRule03MissingMessage(t *testing.T) {
	link := legacyLink(t)
	link.On("tools/list").Fail(-32000, "", nil)
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.ErrorContains(t, err, "-32000")
	require.ErrorContains(t, err, "error without a message")
}

// Rule 6: the handshake happens lazily, exactly once, not in the constructor.
func TestRule06LazyHandshake(t *testing.T) {
	link := legacyLink(t)
	link.On("tools/list").Times(3).Return(`{"tools":[]}`)
	s := newSession(t, link, nil)
	require.Empty(t, link.Received())
	require.Equal(t, transporters.StateIdle, s.State())
	for range 3 {
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
	}
	require.Equal(t, 1, link.Count("initialize"))
	require.Equal(t, 1, link.Count("notifications/initialized"))
}

// Rules 7, 8 and 9 (R050): the initialize payload, from one place for the version and
// one for the client's name; then notifications/initialized without an id.
func TestRule07To09Payload(t *testing.T) {
	link := legacyLink(t)
	link.On("tools/list").Return(`{"tools":[]}`)
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	frames := link.Received()
	var params struct {
		ProtocolVersion mcp.Version
		Capabilities    json.RawMessage
		ClientInfo      mcp.Implementation
	}
	require.NoError(t, json.Unmarshal(frames[1].Params, &params))
	require.Equal(t, mcp.LegacyVersions()[0], params.ProtocolVersion)
	require.JSONEq(t, `{}`, string(params.Capabilities))
	require.Equal(t, mcp.ClientInfo(), params.ClientInfo)
	require.NotEmpty(t, params.ClientInfo.Name)
	require.NotEmpty(t, params.ClientInfo.Version)
	require.NotContains(t, string(frames[1].Params), "io.modelcontextprotocol", "P41")
	require.Empty(t, frames[1].Header.Get("Mcp-Protocol-Version"), "P41")
	require.Equal(t, "notifications/initialized", frames[2].Method)
	require.True(t, frames[2].ID.IsZero())
	require.Equal(t, "2025-11-25", frames[2].Header.Get("Mcp-Protocol-Version"))
}

// Rule 10: ids come from a counter of the instance; id_type only says how they
// are written.
func TestRule10Ids(t *testing.T) {
	for _, test := range []struct {
		idType string
		want   []string
	}{
		{session.IDTypeInt, []string{"1", "2", "", "3", "4"}},
		{session.IDTypeString, []string{`"1"`, `"2"`, "", `"3"`, `"4"`}},
	} {
		for range 2 { // two instances do not share a counter
			link := legacyLink(t)
			link.On("tools/list").Times(2).Return(`{"tools":[]}`)
			s := newSession(t, link, func(settings *session.Settings) { settings.IDType = test.idType })
			for range 2 {
				_, err := s.Request(t.Context(), "tools/list", nil, nil)
				require.NoError(t, err)
			}
			var ids []string
			for _, frame := range link.Received() {
				ids = append(ids, frame.ID.String())
			}
			require.Equal(t, test.want, ids)
		}
	}
}

// Rule 11: state belongs to the instance: what one session lost or learned, the
// other does not notice.
func TestRule11NoSharedState(t *testing.T) {
	first, second := legacyLink(t), modernLink(t)
	first.On("tools/list").Return(`{"tools":[]}`)
	second.On("tools/list").Return(`{"tools":[]}`)
	for _, link := range []*mcptest.ScriptedLink{first, second} {
		s := newSession(t, link, nil)
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
	}
	require.Empty(t, second.Received()[1].Header.Get("Mcp-Session-Id"))
}

// Rules 13 and 14: onEvent sees every message of the request in order, the
// answer last, error answers too, also where nothing streams.
func TestRule13And14Events(t *testing.T) {
	for _, traits := range []transporters.Traits{mcptest.StdioTraits(), mcptest.HTTPTraits()} {
		for _, fails := range []bool{false, true} {
			link := mcptest.NewScriptedLink(t, traits)
			link.On("server/discover").Return(discoverResult)
			rule := link.On("tools/call").Progress(1, 2, "one").Progress(2, 2, "two")
			if fails {
				rule.Fail(-32603, "broken", nil)
			} else {
				rule.Return(`{"content":[]}`)
			}
			s := newSession(t, link, nil)
			var seen []string
			_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, func(m mcp.Message) {
				switch m.Kind() {
				case mcp.KindResponse:
					seen = append(seen, "answer")
				default:
					progress, _ := mcp.ProgressOf(m.Params)
					seen = append(seen, progress.Message)
				}
			})
			require.Equal(t, fails, err != nil)
			require.Equal(t, []string{"one", "two", "answer"}, seen, traits.Name)
		}
	}
}

// Rule 15: a nil onEvent is fine, with progress on the way.
func TestRule15NilCallback(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Progress(1, 2, "").Return(`{"content":[]}`)
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
	require.NoError(t, err)
}

// Don't 2: no raw errors on the request path, whatever failed.
func TestDont2NoRawErrors(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	link.FailStart(errors.New("no network"))
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.IsType(t, &errors.TransporterRequestError{}, err)
	require.True(t, strings.HasPrefix(err.Error(), `mcp server "peer": tools/list: `), err.Error())
	require.ErrorContains(t, err, "no network")
}

// Rule 12: on session loss the session is cleared, initialized again once, and
// the request sent once more; if that fails too, it is the one error type.
func TestRule12SessionLoss(t *testing.T) {
	link := legacyLink(t)
	link.On("tools/list").Times(2).Status(404)
	link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.IsType(t, &errors.TransporterRequestError{}, err)
	require.ErrorIs(t, err, errors.ErrSessionLost)
	require.Equal(t, 2, link.Count("initialize"))
	require.Equal(t, 2, link.Count("tools/list"))
}

// Don't 5: the contract's signature is what every implementation and fake was
// written against.
func TestDont5Signature(t *testing.T) {
	var request func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error)
	require.Equal(t, reflect.TypeOf(request), reflect.TypeOf(transporters.Transporter.Request).In(0).Method(0).Type)
}
