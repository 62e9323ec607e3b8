package dial

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An entry of network.allow is a name or addresses, never both and never neither.
func FuzzEntries(f *testing.F) {
	for _, text := range []string{"example.com", "*.example.com:443", "10.0.0.0/8", "[::1]:80", "::1", "fe80::1%eth0", "::ffff:10.0.0.1/104", "a:0", "[", "*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		made, err := parseEntry(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEqual(t, made.glob != "", made.prefix.IsValid(), "%q", text)
	})
}
