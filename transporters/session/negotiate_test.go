package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// row is one row of the tables S1-S25 and H1-H23.
type row struct {
	name     string
	protocol string // default auto
	script   func(link *mcptest.ScriptedLink)
	version  mcp.Version // what was negotiated, if it was
	sent     []string    // what the client sent
	err      []string    // parts of the error
	is       error       // a sentinel the error wraps
}

func unsupported(versions string) string { return `{"supported":` + versions + `}` }

var (
	legacySent = []string{"server/discover", "initialize", "notifications/initialized"}
	probeSent  = []string{"server/discover"}
)

func stdioRows() []row {
	probe := func(answer func(*mcptest.Rule)) func(*mcptest.ScriptedLink) {
		return func(link *mcptest.ScriptedLink) { answer(link.On("server/discover")) }
	}
	legacy := func(answer func(*mcptest.Rule)) func(*mcptest.ScriptedLink) {
		return func(link *mcptest.ScriptedLink) {
			answer(link.On("server/discover"))
			link.On("initialize").Return(initializeResult)
		}
	}
	handshake := func(answers ...func(*mcptest.Rule)) func(*mcptest.ScriptedLink) {
		return func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Fail(-32601, "Method not found", nil)
			for _, answer := range answers {
				answer(link.On("initialize"))
			}
		}
	}
	return []row{
		{name: "S1", script: probe(func(r *mcptest.Rule) { r.Return(discoverResult) }), version: mcp.Version20260728, sent: probeSent},
		{name: "S2", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Return(`{"supportedVersions":["2025-06-18","2024-11-05"],"capabilities":{}}`)
			link.On("initialize").Where(mcptest.ParamsWith(`{"protocolVersion":"2025-06-18"}`)).
				Return(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)
		}, version: mcp.Version20250618, sent: legacySent},
		{name: "S3", script: probe(func(r *mcptest.Rule) { r.Return(`{"supportedVersions":["2031-01-01"],"capabilities":{}}`) }),
			sent: probeSent, err: []string{"2031-01-01", "2026-07-28"}, is: errors.ErrVersionMismatch},
		{name: "S4", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Fail(-32022, "no", unsupported(`["2026-07-28"]`))
			link.On("server/discover").Return(discoverResult)
		}, version: mcp.Version20260728, sent: []string{"server/discover", "server/discover"}},
		{name: "S4 a second refusal", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Times(2).Fail(-32022, "no", unsupported(`["2026-07-28"]`))
		}, sent: []string{"server/discover", "server/discover"}, err: []string{"2026-07-28"}, is: errors.ErrVersionMismatch},
		{name: "S5", script: legacy(func(r *mcptest.Rule) { r.Fail(-32022, "no", unsupported(`["2025-11-25"]`)) }),
			version: mcp.Version20251125, sent: legacySent},
		{name: "S6", script: probe(func(r *mcptest.Rule) { r.Fail(-32022, "no", unsupported(`["2031-01-01"]`)) }),
			sent: probeSent, err: []string{"2031-01-01"}, is: errors.ErrVersionMismatch},
		{name: "S7", script: probe(func(r *mcptest.Rule) { r.Fail(-32022, "no", nil) }),
			sent: probeSent, err: []string{"pin one with the key protocol"}, is: errors.ErrVersionMismatch},
		{name: "S8 -32021", script: probe(func(r *mcptest.Rule) { r.Fail(-32021, "needs sampling", nil) }),
			sent: probeSent, err: []string{"-32021", "needs sampling"}},
		{name: "S8 -32020", script: probe(func(r *mcptest.Rule) { r.Fail(-32020, "header", nil) }), sent: probeSent, err: []string{"-32020"}},
		{name: "S9 -32601", script: legacy(func(r *mcptest.Rule) { r.Fail(-32601, "no", nil) }), version: mcp.Version20251125, sent: legacySent},
		{name: "S9 -32602", script: legacy(func(r *mcptest.Rule) { r.Fail(-32602, "no", nil) }), version: mcp.Version20251125, sent: legacySent},
		{name: "S9 0", script: legacy(func(r *mcptest.Rule) { r.Fail(0, "no", nil) }), version: mcp.Version20251125, sent: legacySent},
		{name: "S9 beta code", script: legacy(func(r *mcptest.Rule) { r.Fail(-32004, "no", unsupported(`["2026-07-28"]`)) }), version: mcp.Version20251125, sent: legacySent},
		{name: "S10", script: legacy(func(r *mcptest.Rule) { r.Return(`{}`) }), version: mcp.Version20251125, sent: legacySent},
		{name: "S15", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Request(`"srv-1"`, "ping", nil).Request(`"srv-2"`, "roots/list", nil).
				Notify("notifications/message", `{}`).Fail(-32601, "no", nil)
			link.On("initialize").Return(initializeResult)
		}, version: mcp.Version20251125},
		{name: "S21 unknown (R054)", script: handshake(func(r *mcptest.Rule) {
			r.Return(`{"protocolVersion":"2031-01-01","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)
		}), err: []string{"2031-01-01"}, is: errors.ErrVersionMismatch},
		{name: "S21 modern", script: handshake(func(r *mcptest.Rule) {
			r.Return(`{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)
		}), err: []string{"2026-07-28"}, is: errors.ErrVersionMismatch},
		{name: "S22", script: handshake(
			func(r *mcptest.Rule) { r.Fail(-32602, "Unsupported", unsupported(`["2024-11-05"]`)) },
			func(r *mcptest.Rule) {
				r.Where(mcptest.ParamsWith(`{"protocolVersion":"2024-11-05"}`)).
					Return(`{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)
			}), version: mcp.Version20241105},
		{name: "S23", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Fail(-32603, "warming up", nil)
			link.On("initialize").Fail(-32022, "modern only", unsupported(`["2026-07-28"]`))
			link.On("server/discover").Return(discoverResult)
		}, version: mcp.Version20260728},
		{name: "S24", script: handshake(func(r *mcptest.Rule) { r.Fail(-32603, "broken inside", nil) }), err: []string{"initialize", "broken inside"}},
		{name: "modern only, legacy server", protocol: "modern", script: probe(func(r *mcptest.Rule) { r.Fail(-32601, "no", nil) }),
			sent: probeSent, err: []string{"only legacy"}, is: errors.ErrVersionMismatch},
		{name: "legacy only, modern server", protocol: "legacy", script: func(link *mcptest.ScriptedLink) {
			link.On("initialize").Fail(-32022, "new only", unsupported(`["2026-07-28"]`))
		}, sent: []string{"initialize"}, err: []string{"only modern", "new only"}, is: errors.ErrVersionMismatch},
		{name: "pinned legacy, another answered", protocol: "2025-03-26", script: func(link *mcptest.ScriptedLink) {
			link.On("initialize").Where(mcptest.ParamsWith(`{"protocolVersion":"2025-03-26"}`)).Return(initializeResult)
		}, sent: []string{"initialize"}, err: []string{"2025-11-25"}, is: errors.ErrVersionMismatch},
		{name: "pinned modern", protocol: "2026-07-28", script: probe(func(r *mcptest.Rule) { r.Return(discoverResult) }), version: mcp.Version20260728, sent: probeSent},
	}
}

func httpRows() []row {
	status := func(code int, body string) func(*mcptest.ScriptedLink) {
		return func(link *mcptest.ScriptedLink) { link.On("server/discover").Status(code).Body(body) }
	}
	legacyAfter := func(answer func(*mcptest.Rule)) func(*mcptest.ScriptedLink) {
		return func(link *mcptest.ScriptedLink) {
			answer(link.On("server/discover"))
			link.On("initialize").Return(initializeResult)
		}
	}
	rows := []row{
		{name: "H1", script: func(link *mcptest.ScriptedLink) { link.On("server/discover").Return(discoverResult) }, version: mcp.Version20260728, sent: probeSent},
		{name: "H2", script: legacyAfter(func(r *mcptest.Rule) { r.Return(`{"supportedVersions":["2025-11-25"],"capabilities":{}}`) }), version: mcp.Version20251125, sent: legacySent},
		{name: "H3", script: legacyAfter(func(r *mcptest.Rule) { r.Fail(-32601, "no", nil) }), version: mcp.Version20251125, sent: legacySent},
		{name: "H4", script: legacyAfter(func(r *mcptest.Rule) { r.Return(`{"ok":true}`) }), version: mcp.Version20251125, sent: legacySent},
		{name: "H6", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Status(400).Fail(-32022, "no", unsupported(`["2026-07-28"]`))
			link.On("server/discover").Return(discoverResult)
		}, version: mcp.Version20260728, sent: []string{"server/discover", "server/discover"}},
		{name: "H7", script: legacyAfter(func(r *mcptest.Rule) { r.Status(400).Fail(-32022, "no", unsupported(`["2025-11-25"]`)) }), version: mcp.Version20251125, sent: legacySent},
		{name: "H8", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Status(400).Fail(-32020, "Mcp-Method differs", nil)
		}, err: []string{"-32020", "Mcp-Method differs"}, sent: probeSent},
		{name: "H9", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Status(400).Fail(-32021, "needs roots", nil)
		}, err: []string{"-32021"}, sent: probeSent},
		{name: "H10 plain text", script: legacyAfter(func(r *mcptest.Rule) { r.Status(400).Body("Bad Request") }), version: mcp.Version20251125, sent: legacySent},
		{name: "H10 -32602", script: legacyAfter(func(r *mcptest.Rule) { r.Status(400).Fail(-32602, "_meta is missing", nil) }), version: mcp.Version20251125, sent: legacySent},
		{name: "H11", script: legacyAfter(func(r *mcptest.Rule) { r.Status(404).Fail(-32601, "no", nil) }), version: mcp.Version20251125, sent: legacySent},
		{name: "H12", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Status(404).Fail(-32021, "needs roots", nil)
		}, err: []string{"-32021"}, sent: probeSent},
		{name: "H13 404 then fine", script: legacyAfter(func(r *mcptest.Rule) { r.Status(404).Body("nothing here") }), version: mcp.Version20251125, sent: legacySent},
		{name: "H13 405 twice", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Status(405)
			link.On("initialize").Status(405)
		}, err: []string{"405", "neither server/discover nor initialize"}, is: errors.ErrNotMCP},
		{name: "H14", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Status(401).Header("Www-Authenticate", `Bearer scope="a"`)
		}, err: []string{"401"}, is: errors.ErrAuthRequired, sent: probeSent},
		{name: "H15", script: func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Status(403).Header("Www-Authenticate", `Bearer error="insufficient_scope"`)
		}, err: []string{"403"}, is: errors.ErrAuthRequired, sent: probeSent},
		{name: "H16", script: status(403, "Origin"), err: []string{"403", "Origin"}, sent: probeSent},
		{name: "H19 202", script: status(202, ""), err: []string{"notification"}, is: errors.ErrProtocol, sent: probeSent},
		{name: "H22", script: status(302, ""), err: []string{"302"}, sent: probeSent},
	}
	for _, code := range []int{406, 410, 415, 422} {
		rows = append(rows, row{name: fmt.Sprint("H17 ", code), script: legacyAfter(func(r *mcptest.Rule) { r.Status(code) }), version: mcp.Version20251125, sent: legacySent})
	}
	for _, code := range []int{402, 407, 408, 413, 421, 425, 429, 431, 451, 500, 502, 503, 504} {
		rows = append(rows, row{name: fmt.Sprint("H18 ", code), script: status(code, "<html>"), err: []string{fmt.Sprint(code)}, sent: probeSent})
	}
	rows = append(rows, row{name: "H23", script: func(link *mcptest.ScriptedLink) {
		link.On("server/discover").Error(fmt.Errorf("%w: connection refused", errors.ErrNotSent))
	}, err: []string{"connection refused"}, is: errors.ErrNotSent, sent: probeSent})
	return rows
}

func TestNegotiationOverStdio(t *testing.T) {
	for _, r := range stdioRows() {
		t.Run(r.name, func(t *testing.T) { r.test(t, mcptest.NewScriptedLink(t, mcptest.StdioTraits())) })
	}
}

func TestNegotiationOverHTTP(t *testing.T) {
	for _, r := range httpRows() {
		t.Run(r.name, func(t *testing.T) { r.test(t, mcptest.NewScriptedLink(t, mcptest.HTTPTraits())) })
	}
}

func (r row) test(t *testing.T, link *mcptest.ScriptedLink) {
	r.script(link)
	s := newSession(t, link, func(settings *session.Settings) {
		if r.protocol != "" {
			settings.Protocol = r.protocol
		}
	})
	info, err := s.ServerInfo(t.Context())
	if r.sent != nil {
		require.Equal(t, r.sent, methods(link))
	}
	if r.version != "" {
		require.NoError(t, err)
		require.Equal(t, r.version, info.Version)
		require.Equal(t, r.version.Era(), info.Era)
		require.Equal(t, r.version, link.Version())
		return
	}
	require.Error(t, err)
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	require.True(t, ok)
	require.Equal(t, "peer", failure.Server)
	require.NotEqual(t, errors.KindUnknown, failure.Kind)
	require.True(t, errors.SafeToRetry(err), "nothing but the handshake was sent")
	for _, part := range append(r.err, `"peer"`) {
		require.ErrorContains(t, err, part)
	}
	if r.is != nil {
		require.ErrorIs(t, err, r.is)
	}
}

// TestS15AnswersDuringTheProbe: ping is answered, other requests are refused,
// and no cancel notice is ever sent for the handshake (R057).
func TestS15AnswersDuringTheProbe(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Request(`"srv-1"`, "ping", nil).Request(`2`, "roots/list", nil).
		Call(func(mcptest.Received) { link.Await("", 2) }).Fail(-32601, "no", nil)
	link.On("initialize").Return(initializeResult)
	s := newSession(t, link, nil)
	_, err := s.ServerInfo(t.Context())
	require.NoError(t, err)
	var answers []string
	for _, frame := range link.Received() {
		if frame.Method == "" {
			answers = append(answers, string(frame.Raw))
		}
	}
	require.ElementsMatch(t, []string{
		`{"jsonrpc":"2.0","id":"srv-1","result":{}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"this client does not serve roots/list"}}`,
	}, answers)
	require.Zero(t, link.Count("notifications/cancelled"))
}

// TestSilence holds S11 to S13 and S25: what a peer may do after the probe was
// not answered in time.
func TestSilence(t *testing.T) {
	silent := func(t *testing.T, script func(link *mcptest.ScriptedLink)) (*mcptest.ScriptedLink, *session.Session) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		script(link)
		s := session.New("peer", session.Settings{ConnectTimeout: config.Of(30 * time.Second)}, link)
		t.Cleanup(func() { _ = s.Close() })
		return link, s
	}
	connect := func(t *testing.T, s *session.Session) (mcp.Version, error) {
		info, err := s.ServerInfo(t.Context())
		require.NoError(t, s.Close())
		return info.Version, err
	}
	t.Run("S11", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link, s := silent(t, func(link *mcptest.ScriptedLink) {
				link.On("server/discover").Silence()
				link.On("initialize").Return(initializeResult)
			})
			start := time.Now()
			version, err := connect(t, s)
			require.NoError(t, err)
			require.Equal(t, mcp.Version20251125, version)
			require.Equal(t, 5*time.Second, time.Since(start))
			require.Equal(t, legacySent, methods(link))
		})
	})
	t.Run("S12 slow modern, initialize refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, s := silent(t, func(link *mcptest.ScriptedLink) {
				link.On("server/discover").Delay(6 * time.Second).Return(discoverResult)
				link.On("initialize").Delay(2*time.Second).Fail(-32601, "no", nil)
			})
			version, err := connect(t, s)
			require.NoError(t, err)
			require.Equal(t, mcp.Version20260728, version)
		})
	})
	t.Run("S12 slow modern, initialize never answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link, s := silent(t, func(link *mcptest.ScriptedLink) {
				link.On("server/discover").Delay(6 * time.Second).Return(discoverResult)
				link.On("initialize").Silence()
			})
			start := time.Now()
			version, err := connect(t, s)
			require.NoError(t, err)
			require.Equal(t, mcp.Version20260728, version)
			require.Equal(t, 11*time.Second, time.Since(start))
			require.Zero(t, link.Count("notifications/cancelled"))
		})
	})
	t.Run("S12 dual, bound to legacy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, s := silent(t, func(link *mcptest.ScriptedLink) {
				link.On("server/discover").Delay(6 * time.Second).Return(discoverResult)
				link.On("initialize").Delay(2 * time.Second).Return(initializeResult)
			})
			version, err := connect(t, s)
			require.NoError(t, err)
			require.Equal(t, mcp.Version20251125, version)
		})
	})
	t.Run("S13", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, s := silent(t, func(link *mcptest.ScriptedLink) {
				link.On("server/discover").Silence()
				link.On("initialize").Fail(-32022, "modern", unsupported(`["2026-07-28"]`))
				link.On("server/discover").Delay(9 * time.Second).Return(discoverResult)
			})
			version, err := connect(t, s)
			require.NoError(t, err)
			require.Equal(t, mcp.Version20260728, version)
		})
	})
	t.Run("S25", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link, s := silent(t, func(link *mcptest.ScriptedLink) {
				link.On("server/discover").Silence()
				link.On("initialize").Silence()
			})
			start := time.Now()
			_, err := connect(t, s)
			require.ErrorIs(t, err, errors.ErrConnectTimeout)
			require.ErrorContains(t, err, "connect_timeout")
			require.Equal(t, 30*time.Second, time.Since(start))
			require.Zero(t, link.Count("notifications/cancelled"), "R057")
		})
	})
}

// older is a link with HTTP+SSE behind the same URL, or without it.
type older struct {
	*mcptest.ScriptedLink
	legacy *mcptest.ScriptedLink
	err    error
}

func (o older) Legacy(ctx context.Context, in func(transporters.Link, mcp.Message)) (transporters.Link, error) {
	if o.err != nil {
		return nil, o.err
	}
	return o.legacy, o.legacy.Start(ctx, in)
}

// TestH20AndH21: a URL that refuses both POSTs with 400, 404 or 405 is asked for
// HTTP+SSE; if that is not there either, the refusal of the POST is reported,
// with the outcome as its detail. Another refusal is no reason to ask.
func TestH20AndH21(t *testing.T) {
	for _, status := range []int{400, 404, 405} {
		t.Run(fmt.Sprint("H20 ", status), func(t *testing.T) {
			link := older{ScriptedLink: mcptest.NewScriptedLink(t, mcptest.HTTPTraits()), legacy: mcptest.NewScriptedLink(t, mcptest.HTTPTraits())}
			link.On("server/discover").Status(status)
			link.On("initialize").Status(status)
			link.legacy.On("initialize").Return(`{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)
			link.legacy.On("tools/list").Return(`{"tools":[]}`)
			s := newSession(t, link, nil)
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
			info, err := s.ServerInfo(t.Context())
			require.NoError(t, err)
			require.Equal(t, mcp.Version20241105, info.Version)
		})
	}
	t.Run("H21", func(t *testing.T) {
		link := older{ScriptedLink: mcptest.NewScriptedLink(t, mcptest.HTTPTraits()), err: errors.New("no endpoint event")}
		link.On("server/discover").Status(405)
		link.On("initialize").Status(405)
		s := newSession(t, link, nil)
		_, err := s.ServerInfo(t.Context())
		require.ErrorContains(t, err, "405")
		require.ErrorContains(t, err, "no endpoint event")
	})
	t.Run("not for another refusal", func(t *testing.T) {
		link := older{ScriptedLink: mcptest.NewScriptedLink(t, mcptest.HTTPTraits()), err: errors.New("must not be asked")}
		link.On("server/discover").Status(400)
		link.On("initialize").Status(500)
		s := newSession(t, link, nil)
		_, err := s.ServerInfo(t.Context())
		require.ErrorContains(t, err, "500")
		require.NotContains(t, err.Error(), "must not be asked")
	})
}
