package mcptest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cassette that can be read, and in which every call has an outcome, can be written
// and has the same calls then.
func FuzzCassette(f *testing.F) {
	f.Add("{\"cassette\":1}\n{\"call\":1,\"action\":\"tools/list\",\"params\":{}}\n{\"call\":1,\"result\":{\"tools\":[]}}\n")
	f.Add("{\"cassette\":1}\n{\"call\":1,\"action\":\"a\"}\n{\"call\":1,\"event\":{\"jsonrpc\":\"2.0\",\"method\":\"n\"}}\n{\"call\":1,\"error\":{}}")
	f.Add("{\"cassette\":1}\n{\"call\":2,\"answer\":{}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "calls.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		calls, err := readCassette(path)
		if err != nil {
			require.Contains(t, err.Error(), path)
			return
		}
		isComplete := true
		for _, call := range calls {
			require.NotEmpty(t, call.action)
			isComplete = isComplete && (call.failure != nil || !call.result.IsZero())
		}
		if !isComplete {
			return
		}
		first := rewritten(t, path, calls)
		again, err := readCassette(path)
		require.NoError(t, err)
		require.Len(t, again, len(calls))
		for i, call := range again {
			require.Equal(t, calls[i].action, call.action)
			require.Equal(t, calls[i].number, call.number)
			require.Len(t, call.events, len(calls[i].events))
		}
		require.Equal(t, first, rewritten(t, path, again))
	})
}

// rewritten writes a cassette, and returns what is in it then.
func rewritten(t *testing.T, path string, calls []*recordedCall) string {
	t.Helper()
	var all []recordedCall
	for _, call := range calls {
		all = append(all, *call)
	}
	require.NoError(t, writeCassette(path, all))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
