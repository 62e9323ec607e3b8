package mcpclient_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// TestSlogHandlerWritesToHclog: levels, groups, attributes and values that are made
// late.
func TestSlogHandlerWritesToHclog(t *testing.T) {
	for name, test := range map[string]struct {
		write func(*slog.Logger)
		want  string
	}{
		"error":          {func(l *slog.Logger) { l.Error("m", "k", 1) }, "[ERROR] m: k=1\n"},
		"warn":           {func(l *slog.Logger) { l.Warn("m") }, "[WARN]  m\n"},
		"debug":          {func(l *slog.Logger) { l.Debug("m") }, "[DEBUG] m\n"},
		"below debug":    {func(l *slog.Logger) { l.Log(context.Background(), -8, "m") }, "[TRACE] m\n"},
		"between":        {func(l *slog.Logger) { l.Log(context.Background(), slog.LevelInfo+1, "m") }, "[INFO]  m\n"},
		"with":           {func(l *slog.Logger) { l.With("a", 1).Info("m", "b", 2) }, "[INFO]  m: a=1 b=2\n"},
		"a group":        {func(l *slog.Logger) { l.WithGroup("g").With("a", 1).Info("m", "b", 2) }, "[INFO]  m: g.a=1 g.b=2\n"},
		"a group inside": {func(l *slog.Logger) { l.Info("m", slog.Group("g", "a", 1, slog.Group("", "b", 2))) }, "[INFO]  m: g.a=1 g.b=2\n"},
		"an empty group": {func(l *slog.Logger) { l.WithGroup("").Info("m", slog.Group("g"), slog.Attr{}) }, "[INFO]  m\n"},
		"made late":      {func(l *slog.Logger) { l.Info("m", "k", late{}) }, "[INFO]  m: k=now\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			test.write(slog.New(mcpclient.SlogHandler(hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: &log, DisableTime: true}))))
			assert.Equal(t, test.want, log.String())
		})
	}
	quiet := mcpclient.SlogHandler(hclog.New(&hclog.LoggerOptions{Level: hclog.Warn}))
	for level, want := range map[slog.Level]bool{-8: false, slog.LevelDebug: false, slog.LevelInfo: false, slog.LevelWarn: true, slog.LevelError: true} {
		assert.Equal(t, want, quiet.Enabled(t.Context(), level), level)
	}
}

type late struct{}

func (late) LogValue() slog.Value { return slog.StringValue("now") }

// TestSlogThereAndBack is the handler that it began with.
func TestSlogThereAndBack(t *testing.T) {
	handler := slog.NewTextHandler(&bytes.Buffer{}, nil)
	assert.Same(t, handler, mcpclient.SlogHandler(loggerOf(t, slog.New(handler)).ResetNamed("")))
}

// TestEachServerHasALoggerOfItsName, whatever it is that logs.
func TestEachServerHasALoggerOfItsName(t *testing.T) {
	var log lockedBuffer
	address := mcptest.StartHTTP(t, mcptest.NewDemoServer())
	client := newClient(t, map[string]any{
		"one": map[string]any{"type": "http", "base_url": address, "log_payloads": true},
		"two": child(t, "demo", map[string]any{"log_payloads": true}),
	}, mcpclient.WithLogger(hclog.New(&hclog.LoggerOptions{Name: "backend", Level: hclog.Debug, Output: &log, DisableTime: true})))
	for _, name := range []string{"one", "two"} {
		connection, err := client.Connect(name)
		require.NoError(t, err)
		_, err = connection.CallTool(t.Context(), "echo", map[string]string{"text": "hello-" + name})
		require.NoError(t, err)
		assert.Contains(t, log.String(), fmt.Sprintf("backend.%s: connected: server=%s", name, name))
		assert.Contains(t, log.String(), fmt.Sprintf("backend.%s: request: server=%s", name, name))
		assert.Contains(t, log.String(), "hello-"+name)
	}
	assert.Contains(t, log.String(), "backend.two: process started")
}

// TestOneServerCanLogMore, as the guide shows it.
func TestOneServerCanLogMore(t *testing.T) {
	logger := newQuietLogger()
	assert.True(t, logger.Named("search").IsDebug())
	assert.False(t, logger.Named("other").IsDebug())
	assert.False(t, logger.IsDebug())
}
