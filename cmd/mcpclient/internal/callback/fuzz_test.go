package callback

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is pasted: an answer to this very login, or an error.
func FuzzPaste(f *testing.F) {
	for _, text := range []string{"code", "http://127.0.0.1/?code=a&state=s", "?error=denied&state=s", "code=a", "code=a&state=other#state=s", "a b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		query, err := parse(text, "s")
		if err != nil {
			return
		}
		require.Equal(t, "s", query.Get("state"))
		require.True(t, query.Has("code") || query.Has("error"))
	})
}
