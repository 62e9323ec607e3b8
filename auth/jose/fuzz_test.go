package jose

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Whatever is given for a key: one that signs, or an error that does not show it.
func FuzzParse(f *testing.F) {
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nY2FuYXJ5\n-----END PRIVATE KEY-----\n"))
	f.Add([]byte("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA==\n-----END EC PRIVATE KEY-----\n"))
	f.Add([]byte("canary"))
	f.Fuzz(func(t *testing.T, text []byte) {
		key, err := Parse(text)
		if err != nil {
			assert.NotContains(t, err.Error(), "canary")
			return
		}
		_, err = key.Sign(map[string]any{"typ": "JWT"}, map[string]any{"iss": "x"})
		assert.NoError(t, err)
	})
}
