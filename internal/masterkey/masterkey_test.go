package masterkey_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/masterkey"
)

func TestDecode(t *testing.T) {
	key := bytes.Repeat([]byte{0xfb, 0xef}, masterkey.Bytes/2) // other characters in each alphabet
	for _, text := range []string{
		hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key), base64.RawStdEncoding.EncodeToString(key),
		base64.URLEncoding.EncodeToString(key), base64.RawURLEncoding.EncodeToString(key), " " + hex.EncodeToString(key) + "\n",
	} {
		got, err := masterkey.Decode(text)
		require.NoError(t, err)
		assert.Equal(t, key, got)
		box, err := masterkey.Box(got)
		require.NoError(t, err)
		nonce := make([]byte, box.NonceSize())
		opened, err := box.Open(nil, nonce, box.Seal(nil, nonce, []byte("x"), nil), nil)
		require.NoError(t, err)
		assert.Equal(t, "x", string(opened))
	}
	for _, text := range []string{"", "canary", hex.EncodeToString(key[1:]), base64.StdEncoding.EncodeToString(append(key, 1))} {
		_, err := masterkey.Decode(text)
		require.EqualError(t, err, "not 32 bytes in base64 or hex")
	}
}
