package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is read as a traceparent is written as one that reads the same.
func FuzzTraceparent(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Add("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more")
	f.Add("00-00000000000000000000000000000000-b7ad6b7169203331-01")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ParseTraceparent(text)
		if err != nil {
			return
		}
		again, err := ParseTraceparent(parsed.String())
		require.NoError(t, err)
		require.Equal(t, parsed, again)
	})
}
