package bearer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever a command prints: a token that can be sent and has not expired, or an
// error that shows nothing of it.
func FuzzParse(f *testing.F) {
	f.Add([]byte("canary\n"))
	f.Add([]byte(`{"access_token":"canary","expires_in":3600}`))
	f.Add([]byte(`{"token":"canary","expires_at":"2030-01-01T00:00:00Z"}`))
	f.Add([]byte("eyJhbGciOiJub25lIn0.eyJleHAiOjE4OTM0NTYwMDB9."))
	f.Fuzz(func(t *testing.T, output []byte) {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		made, err := parse(output, now)
		if err != nil {
			assert.NotContains(t, err.Error(), "canary")
			return
		}
		require.True(t, isToken(made.text))
		require.Equal(t, now, made.born)
	})
}
