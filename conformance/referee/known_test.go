package referee

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/conformance/referee/refereetest"
)

func TestReadKnown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known")
	refereetest.Write(t, path, "# why\n\n2025-11-25 sse-retry # later\n  extension\tauth/dpop  \n")
	known, err := ReadKnown(path)
	require.NoError(t, err)
	require.Equal(t, Known{{"2025-11-25", "sse-retry"}: true, {Extension, "auth/dpop"}: true}, known)

	known, err = ReadKnown("")
	require.NoError(t, err)
	require.Empty(t, known)
}

func TestReadKnownRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"a revision that does not exist": "2025-11-26 sse-retry\n",
		"a line without a scenario":      "2025-11-25\n",
		"three words":                    "2025-11-25 sse-retry later\n",
		"a run twice":                    "2025-11-25 sse-retry\n2025-11-25 sse-retry\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "known")
			refereetest.Write(t, path, text)
			_, err := ReadKnown(path)
			require.ErrorContains(t, err, path+":")
		})
	}
	_, err := ReadKnown(filepath.Join(t.TempDir(), "absent"))
	require.Error(t, err)
}

func TestMissingRunsAreFound(t *testing.T) {
	known := Known{{"2025-11-25", "renamed"}: true, {"2025-11-25", "gone"}: true, {"2025-11-25", "there"}: true}
	require.Equal(t, []Run{{"2025-11-25", "gone"}, {"2025-11-25", "renamed"}}, known.Missing([]Run{{"2025-11-25", "there"}}))
}
