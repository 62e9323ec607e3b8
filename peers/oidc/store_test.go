package oidc

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
)

// recordingStore remembers the latest token that was stored.
type recordingStore struct {
	*auth.MemoryStore
	mu    sync.Mutex
	token []byte
}

func (s *recordingStore) keep(key auth.Key, value []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key.Kind == auth.KindToken {
		s.token = value
	}
}

func (s *recordingStore) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	s.keep(key, value)
	return s.MemoryStore.Put(ctx, key, value, expires)
}

func (s *recordingStore) Swap(ctx context.Context, key auth.Key, old, value []byte, expires time.Time) (bool, error) {
	swapped, err := s.MemoryStore.Swap(ctx, key, old, value, expires)
	if swapped {
		s.keep(key, value)
	}
	return swapped, err
}

// refreshToken is the one that was stored last.
func (s *recordingStore) refreshToken(t *testing.T) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var stored struct {
		Refresh string `json:"refresh_token"`
	}
	require.NoError(t, json.Unmarshal(s.token, &stored))
	require.NotEmpty(t, stored.Refresh)
	return stored.Refresh
}
