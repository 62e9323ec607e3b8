//go:build unix

package factory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
)

// A program and its file of variables are found from the configuration file, or
// the program from the working directory that it is given.
func TestProgramsAndFilesAreFoundFromTheConfiguration(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\necho \"$(pwd) $0 $FROM_FILE $FROM_BOTH\" > " + filepath.Join(folder, "seen") + "\n"
	for _, name := range []string{"bin", "work/bin", "home/bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name, "server"), []byte(script), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "vars"), []byte("FROM_FILE=file\nFROM_BOTH=file\n"), 0o600))
	t.Setenv("HOME", filepath.Join(folder, "home"))
	here, err := os.Getwd()
	require.NoError(t, err)
	for keys, want := range map[string]string{
		"command: ./bin/server":                   here + " " + folder + "/bin/server file env\n",
		"command: [bin/server, x]":                here + " " + folder + "/bin/server file env\n",
		"command: ./bin/server\n    cwd: work":    folder + "/work " + folder + "/work/bin/server file env\n",
		"command: ~/bin/server":                   here + " " + folder + "/home/bin/server file env\n",
		"command: ~/bin/server\n    cwd: ./work":  folder + "/work " + folder + "/home/bin/server file env\n",
		"command: " + folder + "/work/bin/server": here + " " + folder + "/work/bin/server file env\n",
	} {
		text := "servers:\n  s:\n    type: stdio\n    env_file: vars\n    env: {FROM_BOTH: env}\n    connect_backoff: 1ms\n    " + keys + "\n"
		cfg, err := config.Parse(filepath.Join(folder, "mcp.yaml"), []byte(text))
		require.NoError(t, err)
		s, _ := cfg.Server("s")
		made, err := New().Make(s)
		require.NoError(t, err, keys)
		_, err = made.Head.Request(t.Context(), "ping", nil, nil)
		require.Error(t, err, "the script is no server")
		require.NoError(t, made.Slot.Close())
		seen, err := os.ReadFile(filepath.Join(folder, "seen"))
		require.NoError(t, err, keys)
		assert.Equal(t, want, string(seen), keys)
		require.NoError(t, os.Remove(filepath.Join(folder, "seen")))
	}
}

func TestCertificatesAreFoundFromTheConfiguration(t *testing.T) {
	cfg, err := config.Parse("/etc/app/mcp.yaml", []byte("servers: {s: {type: http, base_url: 'https://h', tls: {ca_file: certs/ca.pem}}}"))
	require.NoError(t, err)
	s, _ := cfg.Server("s")
	rest, _ := s.Take(&commonKeys{})
	keys, _, _ := decodeHTTP(rest, Build{Server: "s"})
	assert.Equal(t, "/etc/app/certs/ca.pem", keys.TLS.CAFile)
	for _, field := range New().Keys("http") {
		isPath := strings.HasSuffix(field.Key, "_file") || strings.HasSuffix(field.Key, ".path")
		assert.Equal(t, isPath, field.Type == "path", field.Key)
	}
}
