package mcpclient_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// R026 and R149 over the wire, in both eras: the hook's traceparent reaches the
// server, and structured output that does not fit fails a strict call.
func TestExtensionsOverTheWire(t *testing.T) {
	for name, option := range map[string]mcptest.Option{"modern": mcptest.ModernOnly(), "legacy": mcptest.LegacyOnly()} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewServer(option)
			server.AddTool(mcp.Tool{Name: "total", OutputSchema: json.RawMessage(`{"type":"object","required":["sum"],"properties":{"sum":{"type":"integer"}}}`)},
				func(_ context.Context, call *mcptest.Call) (any, error) {
					return json.RawMessage(`{"content":[],"structuredContent":` + string(call.Arguments) + `}`), nil
				})
			cfg, err := config.FromMap(map[string]any{"servers": map[string]any{"shop": map[string]any{
				"type": "http", "base_url": mcptest.StartHTTP(t, server), "output_validation": "strict",
			}}})
			require.NoError(t, err)
			span := mcpclient.Traceparent{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Flags: 1}
			client, err := mcpclient.New(cfg, mcpclient.WithMetaHook(func(context.Context) map[string]any {
				return map[string]any{"traceparent": span}
			}))
			require.NoError(t, err)
			defer func() { require.NoError(t, client.Close()) }()
			shop, err := client.Connect("shop")
			require.NoError(t, err)

			tools, err := shop.Tools(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1, tools.Len())
			_, err = shop.CallTool(t.Context(), "total", map[string]any{"sum": 9007199254740993})
			require.NoError(t, err)
			_, err = shop.CallTool(t.Context(), "total", map[string]any{"sum": 1.5})
			require.ErrorIs(t, err, errors.ErrProtocol)
			require.ErrorContains(t, err, `mcp server "shop": tools/call: the structuredContent of tool "total" does not fit its outputSchema: /sum: must be integer, found a number`)

			for _, received := range server.Received() {
				if received.Method != "tools/call" {
					continue
				}
				var params struct {
					Meta struct{ Traceparent string } `json:"_meta"`
				}
				require.NoError(t, json.Unmarshal(received.Params, &params))
				assert.Equal(t, "00-01000000000000000000000000000000-0200000000000000-01", params.Meta.Traceparent)
			}
		})
	}
}

// A task is waited for, and picked up again by its id (R283, R286).
func TestTasks(t *testing.T) {
	const done = `{"taskId":"t","status":"completed","result":{"content":[{"type":"text","text":"done"}]}}`
	synctest.Test(t, func(t *testing.T) {
		peer := mcptest.NewTransporter(t)
		client, err := mcpclient.New(nil, mcpclient.WithTransporter("shop", peer), mcpclient.Use(policy.Tasks("shop", mcpclient.TasksConfig{})))
		require.NoError(t, err)
		shop, err := client.Connect("shop")
		require.NoError(t, err)

		peer.Expect("tools/call").Return(`{"resultType":"task","taskId":"t","status":"working"}`)
		peer.Expect("tasks/get").Return(done)
		result, err := shop.CallTool(t.Context(), "export", nil)
		require.NoError(t, err)
		assert.Equal(t, "done", result.Text())

		peer.Expect("tasks/get", mcptest.ParamsWith(`{"taskId":"t"}`)).Return(`{"taskId":"t","status":"working","statusMessage":"half"}`)
		peer.Expect("tasks/get").Return(done)
		var shown []mcp.Progress
		result, err = shop.ResumeTask(t.Context(), "t", mcpclient.OnProgress(func(p mcp.Progress) { shown = append(shown, p) }))
		require.NoError(t, err)
		assert.Equal(t, "done", result.Text())
		assert.Equal(t, []mcp.Progress{{Progress: 1, Message: "half"}}, shown)

		peer.Expect("tasks/get").Return(`{"taskId":"t","status":"completed","result":{"resultType":"input_required","requestState":"s"}}`)
		_, err = shop.ResumeTask(t.Context(), "t")
		require.ErrorContains(t, err, `resultType "input_required"`)

		plain := mcpclient.NewConnection("plain", peer)
		peer.Expect("tasks/get").Return(done)
		_, err = plain.ResumeTask(t.Context(), "t")
		require.ErrorContains(t, err, "WithTasks")
	})
}
