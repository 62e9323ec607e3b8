package config

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPaths(t *testing.T) {
	type server struct {
		Cwd   string `config:"cwd,path"`
		Plain string `config:"plain"`
	}
	lookup := func(name string) (string, bool) {
		value, set := map[string]string{"HOME": "/home/me", "USERPROFILE": "/home/me", "SUB": "sub"}[name]
		return value, set
	}
	base := "/etc/app"
	for written, want := range map[string]string{
		"work dir": base + "/work dir", "./a/../b": base + "/b", "../x": "/etc/x", "/abs": "/abs", "~": "/home/me", "~/x": "/home/me/x",
		"${SUB}/x": base + "/sub/x", "~me/x": base + "/~me/x", "''": "", ".": base,
	} {
		c, err := ParseWith(Options{LookupEnv: lookup}, base+"/mcp.yaml", []byte("servers: {s: {cwd: "+quoted(written)+", plain: ./p}}"))
		require.NoError(t, err)
		s, _ := c.Server("s")
		var got server
		require.Empty(t, s.Decode(&got), written)
		assert.Equal(t, filepath.FromSlash(want), got.Cwd, written)
		assert.Equal(t, "./p", got.Plain, "only keys that are paths")
	}

	c, err := FromServers(map[string]any{"s": map[string]any{"cwd": "work"}})
	require.NoError(t, err)
	s, _ := c.Server("s")
	var got server
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, "work", got.Cwd, "a Go value stands in no file")

	c, err = ParseWith(Options{LookupEnv: func(string) (string, bool) { return "", false }}, "mcp.yaml", []byte("servers: {s: {cwd: ~/x}}"))
	require.NoError(t, err)
	s, _ = c.Server("s")
	faults := s.Decode(&got)
	require.Len(t, faults, 1)
	assert.Equal(t, `mcp.yaml:1:15: server "s": cwd: the home folder, which ~ stands for, is not known; allowed: a path without ~`, faults[0].String())

	assert.Equal(t, "path", Fields(server{})[0].Type)
	_, wrong := section(t, "x: 1").Take(&struct {
		N int `config:"n,path"`
	}{})
	require.Len(t, wrong, 1, "only a string is a path")
}

func quoted(text string) string {
	if text == "''" {
		return text
	}
	return "'" + text + "'"
}
