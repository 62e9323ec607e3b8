package jsonrpc

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// A message that was moved says the same, and nothing of it is where it was.
func TestMove(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"a":[1,2],"b":"c"}}`,
		`  {"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}  `,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"own\u0041","params":[1]}`,
		`{"jsonrpc":"2.0","id":null,"result":null,"error":{"code":1,"message":""}}`,
		`{"jsonrpc":"2.0","method":"m","result":null}`,
	} {
		buffer := []byte(text)
		scanned, err := Scan(buffer)
		require.NoError(t, err, text)
		want, err := Scan(bytes.Clone(buffer))
		require.NoError(t, err)
		moved := Move(scanned, buffer, bytes.Clone(buffer))
		for i := range buffer {
			buffer[i] = '#'
		}
		require.Equal(t, want, moved, text)
	}
}
