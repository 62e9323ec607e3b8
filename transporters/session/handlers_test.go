package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

func accept(content any) func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: content}, nil
	}
}

func oneRoot(context.Context, string) ([]mcp.Root, error) {
	return []mcp.Root{{URI: "file:///srv"}}, nil
}

func sample(context.Context, string, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	var result mcp.CreateMessageResult
	err := json.Unmarshal([]byte(`{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`), &result)
	return &result, err
}

// TestAnnouncedCapabilities: what is announced follows from the handlers, and
// from the era (R055, R172, R179, R190, R191); deprecated ones are not
// announced to modern servers unless asked for.
func TestAnnouncedCapabilities(t *testing.T) {
	all := session.Handlers{ElicitForm: accept(nil), ElicitURL: accept(nil), CreateMessage: sample, ListRoots: oneRoot}
	offered := all
	offered.OfferDeprecated, offered.SamplingTools = true, true
	for _, test := range []struct {
		name           string
		handlers       session.Handlers
		legacy, modern string
	}{
		{"none", session.Handlers{}, `{}`, `{}`},
		{"a form", session.Handlers{ElicitForm: accept(nil)}, `{"elicitation":{"form":{}}}`, `{"elicitation":{"form":{}}}`},
		{"a page", session.Handlers{ElicitURL: accept(nil)}, `{"elicitation":{"url":{}}}`, `{"elicitation":{"url":{}}}`},
		{"all", all, `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}}`, `{"elicitation":{"form":{},"url":{}}}`},
		{"deprecated offered", offered, `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true}}`,
			`{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`},
		{"an extension", session.Handlers{Extensions: map[string]json.RawMessage{"com.example/x": json.RawMessage(`{}`)}},
			`{"extensions":{"com.example/x":{}}}`, `{"extensions":{"com.example/x":{}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			link := legacyLink(t)
			_, err := newSession(t, link, nil, session.WithHandlers(test.handlers)).ServerInfo(t.Context())
			require.NoError(t, err)
			var probe struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			}
			require.NoError(t, json.Unmarshal(link.Received()[0].Params, &probe))
			require.JSONEq(t, test.modern, string(probe.Meta[mcp.MetaClientCapabilities]))
			var initialize struct{ Capabilities json.RawMessage }
			require.NoError(t, json.Unmarshal(link.Received()[1].Params, &initialize))
			require.JSONEq(t, test.legacy, string(initialize.Capabilities))
		})
	}
}

// TestLegacyServerRequests: each kind of request, and each way in which a
// handler can fail, has a defined answer.
func TestLegacyServerRequests(t *testing.T) {
	const form = `{"message":"?","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"x"}}}}`
	failing := func(err error) session.Handlers {
		return session.Handlers{ElicitForm: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, err }}
	}
	for _, test := range []struct {
		name     string
		handlers session.Handlers
		method   string
		params   string
		answer   string // the member of the answer
	}{
		{"form, defaults filled in (R196)", session.Handlers{ElicitForm: accept(nil)}, "elicitation/create", form, `"result":{"action":"accept","content":{"a":"x"}}`},
		{"form, content", session.Handlers{ElicitForm: accept(map[string]any{"a": "y"})}, "elicitation/create", form, `"result":{"action":"accept","content":{"a":"y"}}`},
		{"form, content that does not fit (R197)", session.Handlers{ElicitForm: accept(map[string]any{"a": 7})}, "elicitation/create", form, `"error":{"code":-32603`},
		{"form not announced (R194)", session.Handlers{ElicitURL: accept(nil)}, "elicitation/create", form, `"error":{"code":-32602`},
		{"page", session.Handlers{ElicitURL: accept(nil)}, "elicitation/create", `{"mode":"url","message":"?","url":"https://a.example"}`, `"result":{"action":"accept"}`},
		{"declined", session.Handlers{ElicitForm: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ElicitDecline, Content: map[string]any{"a": 1}}, nil
		}}, "elicitation/create", form, `"result":{"action":"decline"}`},
		{"nonsense", session.Handlers{ElicitForm: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "maybe"}, nil
		}}, "elicitation/create", form, `"error":{"code":-32603`},
		{"nothing", failing(nil), "elicitation/create", form, `"error":{"code":-32603`},
		{"an error stays ours", failing(errors.New("the password is 1234")), "elicitation/create", form, `"error":{"code":-32603,"message":"internal error"}`},
		{"an error for the server (R184)", failing(&mcp.Error{Code: mcp.CodeUserRejected, Message: "no"}), "elicitation/create", form, `"error":{"code":-1,"message":"no"}`},
		{"a panic", session.Handlers{ElicitForm: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { panic("oops") }},
			"elicitation/create", form, `"error":{"code":-32603,"message":"internal error"}`},
		{"sampling", session.Handlers{CreateMessage: sample}, "sampling/createMessage", `{"messages":[],"maxTokens":1}`, `"result":{"role":"assistant"`},
		{"sampling with tools (R181)", session.Handlers{CreateMessage: sample}, "sampling/createMessage", `{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{}}]}`, `"error":{"code":-32602`},
		{"roots", session.Handlers{ListRoots: oneRoot}, "roots/list", `{}`, `"result":{"roots":[{"uri":"file:///srv"}]}`},
		{"a root that is no file (R175)", session.Handlers{ListRoots: func(context.Context, string) ([]mcp.Root, error) {
			return []mcp.Root{{URI: "https://a.example"}}, nil
		}}, "roots/list", `{}`, `"error":{"code":-32603`},
		{"roots not announced (R176)", session.Handlers{ElicitForm: accept(nil)}, "roots/list", `{}`, `"error":{"code":-32601`},
		{"a method of an extension", session.Handlers{Requests: map[string]func(context.Context, string, json.RawMessage) (any, error){
			"com.example/now": func(context.Context, string, json.RawMessage) (any, error) { return map[string]int{"t": 1}, nil },
		}}, "com.example/now", `{}`, `"result":{"t":1}`},
		{"a result that is no object", session.Handlers{Requests: map[string]func(context.Context, string, json.RawMessage) (any, error){
			"com.example/now": func(context.Context, string, json.RawMessage) (any, error) { return 7, nil },
		}}, "com.example/now", `{}`, `"error":{"code":-32603`},
	} {
		t.Run(test.name, func(t *testing.T) {
			link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
			link.On("server/discover").Fail(-32601, "no", nil)
			link.On("initialize").Return(initializeResult)
			link.On("tools/call").Request(`"srv-1"`, test.method, test.params).Call(func(mcptest.Received) { link.Await("", 1) }).Return(`{"content":[]}`)
			s := newSession(t, link, nil, session.WithHandlers(test.handlers))
			_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
			require.NoError(t, err)
			require.Contains(t, string(answerOf(link)), `{"jsonrpc":"2.0","id":"srv-1",`+test.answer)
		})
	}
}

func answerOf(link *mcptest.ScriptedLink) json.RawMessage {
	for _, frame := range link.Received() {
		if frame.Method == "" {
			return frame.Raw
		}
	}
	return nil
}

// TestHumansTakeTheirTime: the time a handler takes counts against no limit of
// the call it is about (P53), on stdio and over HTTP, in both eras; of another
// call of the same HTTP session it does.
func TestHumansTakeTheirTime(t *testing.T) {
	slowly := session.Handlers{ElicitForm: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		time.Sleep(time.Hour)
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	}}
	const form = `{"message":"?","requestedSchema":{"type":"object","properties":{}}}`
	for _, test := range []struct {
		name   string
		traits transporters.Traits
		modern bool
	}{
		{"legacy stdio", mcptest.StdioTraits(), false},
		{"legacy HTTP", mcptest.HTTPTraits(), false},
		{"modern HTTP", mcptest.HTTPTraits(), true},
		{"modern stdio", mcptest.StdioTraits(), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := mcptest.NewScriptedLink(t, test.traits)
				if test.modern {
					link.On("server/discover").Return(discoverResult)
					link.On("tools/call").Return(`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":` + form + `}}}`)
					link.On("tools/call").Delay(50 * time.Second).Return(`{}`)
				} else {
					link.On("server/discover").Fail(-32601, "no", nil)
					link.On("initialize").Return(initializeResult)
					link.On("tools/call").Delay(50*time.Second).Request(`1`, "elicitation/create", form).
						Call(func(mcptest.Received) { time.Sleep(time.Hour) }).Delay(50 * time.Second).Return(`{}`)
				}
				s := session.New("peer", session.Settings{}, link, session.WithHandlers(slowly))
				defer s.Close()
				_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
				require.NoError(t, err)
			})
		})
	}
}

// TestServerCancelsItsRequest: the handler's context ends and the answer is not
// sent (R124); a cancel of something unknown does nothing (R122).
func TestServerCancelsItsRequest(t *testing.T) {
	ended := make(chan error, 1)
	handlers := session.Handlers{ElicitForm: func(ctx context.Context, server string, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		require.Equal(t, "peer", server)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return &mcp.ElicitResult{Action: mcp.ElicitCancel}, nil
	}}
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Fail(-32601, "no", nil)
	link.On("initialize").Return(initializeResult)
	link.On("tools/list").Notify("notifications/cancelled", `{"requestId":"nobody"}`).
		Request(`7`, "elicitation/create", `{"message":"?","requestedSchema":{}}`).
		Notify("notifications/cancelled", `{"requestId":"7"}`).
		Notify("notifications/cancelled", `{"requestId":7,"reason":"too late"}`).Return(`{"tools":[]}`)
	s := newSession(t, link, nil, session.WithHandlers(handlers))
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	require.ErrorContains(t, <-ended, "too late")
	require.NoError(t, s.Close())
	require.Zero(t, link.Count(""))
}

// TestOverload: 1024 requests are served at once, the next is refused with
// -32000, and a cancel still gets through.
func TestOverload(t *testing.T) {
	const served = 1024
	var running atomic.Int64
	handlers := session.Handlers{ElicitForm: func(ctx context.Context, _ string, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		running.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Fail(-32601, "no", nil)
	link.On("initialize").Return(initializeResult)
	rule := link.On("tools/list")
	for i := range served + 1 {
		rule.Request(fmt.Sprint(i), "elicitation/create", `{"message":"?","requestedSchema":{}}`)
	}
	rule.Return(`{"tools":[]}`)
	s := newSession(t, link, nil, session.WithHandlers(handlers))
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	link.Await("", 1)
	require.Contains(t, string(answerOf(link)), fmt.Sprintf(`"id":%d,"error":{"code":-32000`, served))
}

// TestNotificationHandler: what belongs to nobody goes to the handler, in order;
// it may make calls and close the session.
func TestNotificationHandler(t *testing.T) {
	seen := make(chan string, 10)
	var s *session.Session
	handlers := session.Handlers{Notification: func(server string, m mcp.Message) {
		if m.Method == "notifications/tools/list_changed" {
			_, err := s.Request(context.Background(), "tools/list", nil, nil)
			require.NoError(t, err)
		}
		seen <- server + " " + m.Method
	}}
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Fail(-32601, "no", nil)
	link.On("initialize").Return(initializeResult)
	link.On("tools/list").Times(2).Return(`{"tools":[]}`)
	s = newSession(t, link, nil, session.WithHandlers(handlers))
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	for _, method := range []string{"notifications/tools/list_changed", "notifications/message"} {
		link.Inject(mcp.Message{Raw: []byte(`{}`), Method: method})
	}
	require.Equal(t, "peer notifications/tools/list_changed", <-seen)
	require.Equal(t, "peer notifications/message", <-seen)
}

// TestRounds holds R207 to R214, R216 and R218.
func TestRounds(t *testing.T) {
	const ask = `{"resultType":"input_required","inputRequests":{"why":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}},"dirs":{"method":"roots/list"}},"requestState":"v1.k+/A==\u0000x"}`
	handlers := session.Handlers{ElicitForm: accept(map[string]any{}), ListRoots: oneRoot, OfferDeprecated: true}
	t.Run("answers, state, new id, then state alone, then neither", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link := modernLink(t)
			link.On("tools/call").Return(ask)
			link.On("tools/call").Return(`{"resultType":"input_required","requestState":"second"}`)
			link.On("tools/call").Return(`{"resultType":"input_required","inputRequests":{"dirs":{"method":"roots/list","params":null}}}`)
			link.On("tools/call").Return(`{"content":[]}`)
			s := session.New("peer", session.Settings{}, link, session.WithHandlers(handlers))
			defer s.Close()
			var rounds []string
			start := time.Now()
			_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "refund", "arguments": map[string]any{"n": json.Number("9007199254740993")}},
				func(m mcp.Message) { rounds = append(rounds, m.ID.String()) })
			require.NoError(t, err)
			require.Equal(t, []string{"2", "3", "4", "5"}, rounds, "every round is an event")
			require.Equal(t, 250*time.Millisecond, time.Since(start), "a round without input is paced")
			frames := link.Received()[1:]
			for i, want := range []string{
				``,
				`"inputResponses":{"dirs":{"roots":[{"uri":"file:///srv"}]},"why":{"action":"accept","content":{}}},"requestState":"v1.k+/A==\u0000x"`,
				`"requestState":"second"`,
				`"inputResponses":{"dirs":{"roots":[{"uri":"file:///srv"}]}}`,
			} {
				text := string(frames[i].Params)
				require.Contains(t, text, `"arguments":{"n":9007199254740993}`)
				require.Contains(t, text, want)
				if !strings.Contains(want, "requestState") {
					require.NotContains(t, text, "requestState")
				}
				if !strings.Contains(want, "inputResponses") {
					require.NotContains(t, text, "inputResponses")
				}
				require.Equal(t, fmt.Sprint(i+2), frames[i].ID.String())
			}
		})
	})
	t.Run("endless rounds are capped", func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/call").Times(11).Return(`{"resultType":"input_required","inputRequests":{"dirs":{"method":"roots/list"}}}`)
		s := newSession(t, link, nil, session.WithHandlers(handlers))
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
		require.ErrorIs(t, err, errors.ErrProtocol)
		require.ErrorContains(t, err, "10 rounds")
	})
	t.Run("without a handler the result is the caller's", func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/call").Return(ask)
		s := newSession(t, link, nil, session.WithHandlers(session.Handlers{ElicitForm: accept(nil)}))
		result, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
		require.NoError(t, err)
		require.Equal(t, mcp.ResultInputRequired, result.Type())
	})
	t.Run("a failing handler fails the call", func(t *testing.T) {
		reason := errors.New("nobody there")
		link := modernLink(t)
		link.On("tools/call").Return(ask)
		failing := handlers
		failing.ElicitForm = func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, reason }
		s := newSession(t, link, nil, session.WithHandlers(failing))
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
		require.ErrorIs(t, err, reason)
		require.ErrorContains(t, err, "elicitation/create")
	})
	t.Run("a handler that blocks is left behind", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		defer close(release)
		blocking := handlers
		blocking.ElicitForm = func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			cancel()
			<-release
			return nil, nil
		}
		link := modernLink(t)
		link.On("tools/call").Return(ask)
		s := newSession(t, link, nil, session.WithHandlers(blocking))
		_, err := s.Request(ctx, "tools/call", map[string]any{"name": "a"}, nil)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("malformed", func(t *testing.T) {
		for _, result := range []string{
			`{"resultType":"input_required"}`,
			`{"resultType":"input_required","inputRequests":7}`,
			`{"resultType":"input_required","inputRequests":{"a":{}}}`,
		} {
			link := modernLink(t)
			link.On("tools/call").Return(result)
			s := newSession(t, link, nil, session.WithHandlers(handlers))
			_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
			require.ErrorIs(t, err, errors.ErrProtocol, result)
		}
	})
}

// TestNotifyRootsChanged holds R174: a connected legacy server is told, others
// are not.
func TestNotifyRootsChanged(t *testing.T) {
	for _, link := range []*mcptest.ScriptedLink{legacyLink(t), modernLink(t)} {
		s := newSession(t, link, nil, session.WithHandlers(session.Handlers{ListRoots: oneRoot}))
		require.NoError(t, s.NotifyRootsChanged(t.Context()))
		require.Empty(t, link.Received())
		info, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.NotifyRootsChanged(t.Context()))
		want := 0
		if info.Era == mcp.EraLegacy {
			want = 1
		}
		require.Equal(t, want, link.Count("notifications/roots/list_changed"))
	}
}

// TestPagesToVisit holds R205: error -32042 of 2025-11-25 is answered by the URL
// handler, then the request is sent once more; a page that is declined, a second
// such error, and other versions leave the error to the caller.
func TestPagesToVisit(t *testing.T) {
	const pages = `{"elicitations":[{"mode":"url","elicitationId":"e-1","url":"https://a.example/1","message":"sign in"}]}`
	answer := func(action string) session.Handlers {
		return session.Handlers{ElicitURL: func(_ context.Context, _ string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			require.Equal(t, "https://a.example/1", request.URL)
			require.Equal(t, "e-1", request.ElicitationID)
			return &mcp.ElicitResult{Action: action}, nil
		}}
	}
	for _, test := range []struct {
		name     string
		handlers session.Handlers
		refusals int
		sent     int
		answered bool
	}{
		{"accepted", answer(mcp.ElicitAccept), 1, 2, true},
		{"accepted, asked again", answer(mcp.ElicitAccept), 2, 2, false},
		{"declined", answer(mcp.ElicitDecline), 1, 1, false},
		{"no handler", session.Handlers{}, 1, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			link := legacyLink(t)
			link.On("tools/call").Times(test.refusals).Fail(-32042, "sign in first", pages)
			if test.answered {
				link.On("tools/call").Return(`{"content":[]}`)
			}
			s := newSession(t, link, nil, session.WithHandlers(test.handlers))
			_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
			require.Equal(t, test.sent, link.Count("tools/call"))
			if test.answered {
				require.NoError(t, err)
				return
			}
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok)
			require.Equal(t, mcp.CodeURLElicitationRequired, failure.Code)
		})
	}
}
