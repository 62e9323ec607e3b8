package mcptest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cassette that can be read can be written, and has the same calls then.
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
		numbers := map[int]bool{}
		for _, call := range calls {
			require.NotEmpty(t, call.action)
			numbers[call.number] = true
		}
		require.LessOrEqual(t, len(numbers), len(calls))
	})
}
