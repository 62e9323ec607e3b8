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
		opened, err := masterkey.Open(box, masterkey.Seal(box, nil, []byte("x"), nil), nil)
		require.NoError(t, err)
		assert.Equal(t, "x", string(opened))
	}
	for _, text := range []string{"", "canary", hex.EncodeToString(key[1:]), base64.StdEncoding.EncodeToString(append(key, 1))} {
		_, err := masterkey.Decode(text)
		require.EqualError(t, err, "not 32 bytes in base64 or hex")
	}
}

func TestSeal(t *testing.T) {
	box, err := masterkey.Box(bytes.Repeat([]byte{7}, masterkey.Bytes))
	require.NoError(t, err)
	head, bound := make([]byte, 3, 100), []byte("bound")
	sealed := masterkey.Seal(box, head, []byte("value"), bound)
	assert.Equal(t, head, sealed[:3])
	assert.NotEqual(t, sealed, masterkey.Seal(box, head, []byte("value"), bound), "a nonce each time")
	assert.Equal(t, make([]byte, 97), head[3:100], "what is behind the head is not its own")
	sealed = sealed[3:]
	value, err := masterkey.Open(box, sealed, bound)
	require.NoError(t, err)
	assert.Equal(t, "value", string(value))
	_, err = masterkey.Open(box, sealed, nil)
	require.Error(t, err)
	for i := range sealed {
		_, err := masterkey.Open(box, sealed[:i], bound)
		require.Error(t, err, "%d bytes", i)
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		_, err = masterkey.Open(box, changed, bound)
		require.Error(t, err, "byte %d", i)
	}
}
