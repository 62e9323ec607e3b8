package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
)

// TestWords: a command line is a list; a single word may stand without brackets;
// a string with blanks would need a shell and is refused with its place.
func TestWords(t *testing.T) {
	for _, test := range []struct {
		value string
		want  config.Words
		fault string
	}{
		{`[node, server.js, 8080]`, config.Words{"node", "server.js", "8080"}, ""},
		{`node`, config.Words{"node"}, ""},
		{`"${PROGRAM:-node}"`, config.Words{"node"}, ""},
		{`node server.js`, nil, "no shell"},
		{`7`, nil, "wrong type"},
		{`""`, nil, "a list of words"},
		{`[]`, nil, "must not be empty"},
	} {
		cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  a: {command: "+test.value+"}\n"))
		require.NoError(t, err)
		section, _ := cfg.Server("a")
		var keys struct {
			Command config.Words `config:"command,required"`
		}
		faults := section.Decode(&keys)
		if test.fault == "" {
			require.Empty(t, faults, test.value)
			require.Equal(t, test.want, keys.Command)
			continue
		}
		require.Len(t, faults, 1, test.value)
		require.Contains(t, faults[0].String(), test.fault)
		require.Equal(t, 2, faults[0].Line)
	}
}
