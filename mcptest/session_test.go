package mcptest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// ways are the ways in which a client reaches a server in the same process.
func ways() map[string]func(*testing.T, *mcptest.Server) transporters.Link {
	return map[string]func(*testing.T, *mcptest.Server) transporters.Link{
		"memory":         func(_ *testing.T, s *mcptest.Server) transporters.Link { return s.Link() },
		"HTTP in memory": func(_ *testing.T, s *mcptest.Server) transporters.Link { return s.HTTPLink() },
		"HTTP": func(t *testing.T, s *mcptest.Server) transporters.Link {
			return httplink.New("demo", httplink.Config{BaseURL: mcptest.StartHTTP(t, s)})
		},
	}
}

// The project's own session and links never break a rule that the server
// checks, whatever the era and the transport.
func TestSessionSatisfiesTheServer(t *testing.T) {
	servers := map[string][]mcptest.Option{"both eras": nil, "modern": {mcptest.ModernOnly()}}
	for _, version := range mcp.LegacyVersions() {
		servers[string(version)] = []mcptest.Option{mcptest.LegacyOnly(version)}
	}
	servers["sessionless"] = []mcptest.Option{mcptest.LegacyOnly(), mcptest.WithoutSessions()}
	servers["event streams"] = []mcptest.Option{mcptest.LegacyOnly(), mcptest.WithAnswers(mcptest.AnswersEventStream)}
	for name, options := range servers {
		for way, link := range ways() {
			t.Run(name+" over "+way, func(t *testing.T) {
				server := mcptest.NewDemoServer(options...)
				defer server.Close()
				s := session.New("demo", session.Settings{}, link(t, server))
				exerciseSession(t, s)
				require.NoError(t, s.Close())
				require.Empty(t, server.Violations())
				require.Zero(t, server.Sessions(), "R102: the session is deleted at close")
			})
		}
	}
}

func exerciseSession(t *testing.T, s *session.Session) {
	t.Helper()
	info, err := s.ServerInfo(t.Context())
	require.NoError(t, err)
	require.Equal(t, "demo", info.Implementation.Name)
	result, err := s.Request(t.Context(), mcp.MethodCallTool, map[string]any{"name": "add", "arguments": map[string]any{"a": 2, "b": 3}}, nil)
	require.NoError(t, err)
	require.Contains(t, string(result.Raw()), `"structuredContent":{"sum":5}`)

	var events []string
	slow := map[string]any{"name": "slow", "arguments": map[string]any{"ms": 2, "steps": 2}}
	_, err = s.Request(t.Context(), mcp.MethodCallTool, slow, func(m mcp.Message) { events = append(events, m.Method) })
	require.NoError(t, err)
	require.Equal(t, []string{mcp.NotificationProgress, mcp.NotificationProgress, ""}, events)

	result, err = s.Request(t.Context(), mcp.MethodReadResource, map[string]any{"uri": "demo://items/Zürich"}, nil)
	require.NoError(t, err)
	require.Contains(t, string(result.Raw()), "Item Zürich")
	_, err = s.Request(t.Context(), mcp.MethodCallTool, map[string]any{"name": "none"}, nil)
	require.ErrorContains(t, err, "Unknown tool: none")
}

func TestSessionManyFirstCallers(t *testing.T) {
	for way, link := range ways() {
		t.Run(way, func(t *testing.T) {
			server := mcptest.NewDemoServer(mcptest.LegacyOnly())
			defer server.Close()
			s := session.New("demo", session.Settings{}, link(t, server))
			defer func() { require.NoError(t, s.Close()) }()
			var callers sync.WaitGroup
			for i := range 100 {
				callers.Go(func() {
					params := map[string]any{"name": "echo", "arguments": map[string]any{"text": fmt.Sprint(i)}}
					result, err := s.Request(t.Context(), mcp.MethodCallTool, params, nil)
					if err != nil || string(result.Raw()) != fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, i) {
						t.Errorf("caller %d: %s %v", i, result.Raw(), err)
					}
				})
			}
			callers.Wait()
			require.Equal(t, 1, server.Count(mcp.MethodInitialize))
			require.Empty(t, server.Violations())
		})
	}
}

func TestSessionSurvivesForgottenSessions(t *testing.T) {
	for _, way := range []string{"HTTP in memory", "HTTP"} {
		t.Run(way, func(t *testing.T) {
			server := mcptest.NewDemoServer(mcptest.LegacyOnly())
			defer server.Close()
			s := session.New("demo", session.Settings{}, ways()[way](t, server))
			defer func() { require.NoError(t, s.Close()) }()
			for range 3 {
				_, err := s.Request(t.Context(), mcp.MethodListTools, nil, nil)
				require.NoError(t, err)
				server.ForgetSessions()
			}
			require.Equal(t, 3, server.Count(mcp.MethodInitialize), "R101")
			require.Empty(t, server.Violations())
		})
	}
}

func TestSessionCancels(t *testing.T) {
	eras := map[string]mcptest.Option{"modern": mcptest.ModernOnly(), "legacy": mcptest.LegacyOnly()}
	for era, option := range eras {
		for way, link := range ways() {
			t.Run(era+" over "+way, func(t *testing.T) {
				server := mcptest.NewServer(option)
				defer server.Close()
				stopped := make(chan struct{})
				server.AddTool(mcp.Tool{Name: "hang"}, func(ctx context.Context, _ *mcptest.Call) (any, error) {
					<-ctx.Done()
					close(stopped)
					return nil, context.Cause(ctx)
				})
				s := session.New("demo", session.Settings{}, link(t, server))
				defer func() { require.NoError(t, s.Close()) }()
				ctx, cancel := context.WithCancel(t.Context())
				failed := make(chan error, 1)
				go func() {
					_, err := s.Request(ctx, mcp.MethodCallTool, map[string]any{"name": "hang"}, nil)
					failed <- err
				}()
				server.Await(t, mcp.MethodCallTool, 1)
				cancel()
				require.ErrorIs(t, <-failed, context.Canceled)
				<-stopped
				require.Empty(t, server.Violations(), "R064, R090, R106")
			})
		}
	}
}

// R111, R137, R176: a server's requests on a call's stream are answered.
func TestSessionAnswersTheServer(t *testing.T) {
	for way, link := range ways() {
		t.Run(way, func(t *testing.T) {
			server := mcptest.NewServer(mcptest.LegacyOnly())
			defer server.Close()
			server.AddTool(mcp.Tool{Name: "ask"}, func(_ context.Context, call *mcptest.Call) (any, error) {
				pong, err := call.Request(mcp.MethodPing, nil)
				if err != nil || string(pong) != `{}` {
					return nil, fmt.Errorf("ping: %s %w", pong, err)
				}
				_, err = call.Request(mcp.MethodElicit, `{"message":"?","requestedSchema":{"type":"object"}}`)
				if failure, ok := errors.AsType[*mcp.Error](err); !ok || failure.Code != mcp.CodeMethodNotFound {
					return nil, fmt.Errorf("elicitation: %w", err)
				}
				return "answered", nil
			})
			s := session.New("demo", session.Settings{}, link(t, server))
			defer func() { require.NoError(t, s.Close()) }()
			result, err := s.Request(t.Context(), mcp.MethodCallTool, map[string]any{"name": "ask"}, nil)
			require.NoError(t, err)
			require.JSONEq(t, `{"content":[{"type":"text","text":"answered"}]}`, string(result.Raw()))
			require.Empty(t, server.Violations())
		})
	}
}

func TestCallRequestNeedsAWayBack(t *testing.T) {
	tests := map[string][]mcptest.Option{
		"modern":      {mcptest.ModernOnly()},
		"sessionless": {mcptest.LegacyOnly(), mcptest.WithoutSessions()},
		"JSON only":   {mcptest.LegacyOnly(), mcptest.WithAnswers(mcptest.AnswersJSON)},
	}
	for name, options := range tests {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewServer(options...)
			defer server.Close()
			server.AddTool(mcp.Tool{Name: "ask"}, func(_ context.Context, call *mcptest.Call) (any, error) {
				return call.Request(mcp.MethodPing, nil)
			})
			s := session.New("demo", session.Settings{}, server.HTTPLink())
			defer func() { require.NoError(t, s.Close()) }()
			result, err := s.Request(t.Context(), mcp.MethodCallTool, map[string]any{"name": "ask"}, nil)
			require.NoError(t, err)
			require.Contains(t, string(result.Raw()), "this client cannot be asked")
		})
	}
}

// A question apart from any call needs the stream for it (R103).
func TestCallRequestStandalone(t *testing.T) {
	tests := map[string]struct {
		options []mcptest.Option
		http    bool
		want    string
	}{
		"one way only":   {options: []mcptest.Option{mcptest.LegacyOnly()}, want: `{}`},
		"modern":         {options: []mcptest.Option{mcptest.ModernOnly()}, want: "no standalone stream open"},
		"not offered":    {options: []mcptest.Option{mcptest.LegacyOnly()}, http: true, want: "no standalone stream open"},
		"nobody listens": {options: []mcptest.Option{mcptest.LegacyOnly(), mcptest.WithStandaloneStream()}, http: true, want: "no standalone stream open"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewServer(test.options...)
			defer server.Close()
			server.AddTool(mcp.Tool{Name: "ask"}, func(_ context.Context, call *mcptest.Call) (any, error) {
				answer, err := call.RequestStandalone(mcp.MethodPing, nil)
				return string(answer), err
			})
			link := server.Link()
			if test.http {
				link = server.HTTPLink()
			}
			s := session.New("demo", session.Settings{}, link)
			defer func() { require.NoError(t, s.Close()) }()
			result, err := s.Request(t.Context(), mcp.MethodCallTool, map[string]any{"name": "ask"}, nil)
			require.NoError(t, err)
			require.Contains(t, string(result.Raw()), test.want)
		})
	}
}
