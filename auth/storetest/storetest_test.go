package storetest_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/auth/filestore"
	"github.com/mcp-client-go/mcpclient/auth/storetest"
	"github.com/mcp-client-go/mcpclient/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) (auth.Store, auth.Store) {
		store := auth.NewMemoryStore()
		return store, store
	})
}

func TestFileStore(t *testing.T) {
	key := config.LiteralSecret(hex.EncodeToString(bytes.Repeat([]byte{7}, filestore.KeyBytes)))
	storetest.Run(t, func(t *testing.T) (auth.Store, auth.Store) {
		folder := t.TempDir()
		first, err := filestore.Open(folder, key)
		require.NoError(t, err)
		second, err := filestore.Open(folder, key)
		require.NoError(t, err)
		return first, second
	})
}
