package mcpclient_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// loggerOf returns the hclog.Logger that WithSlog hands to what is built.
func loggerOf(t *testing.T, logger *slog.Logger) hclog.Logger {
	t.Helper()
	var handed hclog.Logger
	types := factory.New()
	require.NoError(t, types.Register("own", func(_ *config.Section, build factory.Build) (factory.Blueprint, []errors.Fault) {
		handed = build.Logger
		return factory.Blueprint{}, nil
	}))
	cfg, err := config.FromServers(map[string]any{"s": map[string]any{"type": "own"}})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg, mcpclient.WithFactory(types), mcpclient.WithSlog(logger))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return handed
}

func TestSlogTakesTheLogOfServerProcesses(t *testing.T) {
	var log lockedBuffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.Level(-8)}))
	connection := connect(t, child(t, "crashes", nil), mcpclient.WithSlog(logger))
	_, err := connection.CallTool(t.Context(), "crash", nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.NoError(t, connection.Close())
	assert.Contains(t, log.String(), "out of cheese")
	assert.Contains(t, log.String(), "server=demo")
}

func TestSlogRecords(t *testing.T) {
	var written bytes.Buffer
	logger := loggerOf(t, slog.New(slog.NewJSONHandler(&written, &slog.HandlerOptions{Level: slog.Level(-8), AddSource: true})))
	assert.Equal(t, hclog.Trace, logger.GetLevel())
	for level, write := range map[string]func(string, ...any){
		"DEBUG-4": logger.Trace, "DEBUG": logger.Debug, "INFO": logger.Info, "WARN": logger.Warn, "ERROR": logger.Error,
	} {
		written.Reset()
		write("a message", "key", 7)
		record := decodeRecord(t, &written)
		assert.Equal(t, level, record["level"])
		assert.Equal(t, "a message", record["msg"])
		assert.EqualValues(t, 7, record["key"])
		assert.True(t, strings.HasSuffix(record["source"].(map[string]any)["file"].(string), "slog_test.go"), "the source is who logged")
	}

	written.Reset()
	base := logger.With("a", 1)
	first, second := base.With("b", 2), base.With("b", 3)
	first.Named("x").Named("y").Log(hclog.Warn, "m")
	record := decodeRecord(t, &written)
	assert.EqualValues(t, 1, record["a"])
	assert.EqualValues(t, 2, record["b"], "loggers made from one logger do not share what they add")
	assert.Equal(t, "s.x.y", record["logger"])
	assert.Equal(t, []any{"a", 1, "b", 3}, second.ImpliedArgs())
	assert.Equal(t, "z", first.Named("x").ResetNamed("z").Name())

	written.Reset()
	logger.StandardLogger(nil).Print("a line")
	assert.Equal(t, "a line", decodeRecord(t, &written)["msg"])
	logger.Log(hclog.Off, "nothing")
	assert.Empty(t, written.String())
}

func TestSlogDecidesWhatIsWritten(t *testing.T) {
	var written bytes.Buffer
	logger := loggerOf(t, slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: slog.LevelWarn})))
	logger.SetLevel(hclog.Trace)
	logger.Info("quiet")
	assert.Empty(t, written.String())
	assert.Equal(t, hclog.Warn, logger.GetLevel())
	assert.Equal(t, []bool{false, false, false, true, true},
		[]bool{logger.IsTrace(), logger.IsDebug(), logger.IsInfo(), logger.IsWarn(), logger.IsError()})
	assert.NotNil(t, loggerOf(t, nil), "nil changes nothing")
}

func decodeRecord(t *testing.T, written *bytes.Buffer) map[string]any {
	t.Helper()
	var record map[string]any
	require.NoError(t, json.Unmarshal(written.Bytes(), &record), written.String())
	written.Reset()
	return record
}
