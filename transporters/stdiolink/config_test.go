package stdiolink

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

func decode(t *testing.T, yaml string) (Config, []errors.Fault) {
	t.Helper()
	loaded, err := config.Parse("mcp.yaml", []byte("servers:\n  s:\n"+yaml))
	require.NoError(t, err)
	section, ok := loaded.Server("s")
	require.True(t, ok)
	var cfg Config
	faults := section.Decode(&cfg)
	if faults == nil {
		faults = cfg.Validate(section)
	}
	return cfg, faults
}

func TestConfigDefaults(t *testing.T) {
	cfg, faults := decode(t, "    command: [server]\n")
	require.Empty(t, faults)
	require.Equal(t, InheritSafe, cfg.InheritEnv)
	require.Equal(t, DefaultMaxLineBytes, cfg.MaxLineBytes)
	require.Equal(t, config.Of(DefaultShutdownTimeout), cfg.ShutdownTimeout)
	require.True(t, cfg.ProcessTimeout.IsOff())
	require.Equal(t, config.Of(0), cfg.StartupDelay)
	require.Nil(t, cfg.PollInterval)

	var zero Config
	require.Equal(t, DefaultMaxLineBytes, zero.maxLineBytes())
	require.Equal(t, DefaultShutdownTimeout, zero.shutdownTimeout())
}

func TestConfigValues(t *testing.T) {
	cfg, faults := decode(t, `
    command: [server, -a]
    args: [b]
    cwd: /tmp
    env: {TOKEN: abcdef, PORT: 8080}
    inherit_env: true
    max_line_bytes: 65536
    shutdown_timeout: 2
    process_timeout: 1h
    startup_delay: 100ms
    poll_interval: 20
`)
	require.Empty(t, faults)
	require.Equal(t, 2*time.Second, cfg.shutdownTimeout())
	require.Equal(t, config.Of(time.Hour), cfg.ProcessTimeout)
	require.Equal(t, config.Of(100*time.Millisecond), cfg.StartupDelay)
	spec, err := cfg.spec([]string{"SECRET=x", "PORT=1"}, []string{"-a"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"server", "-a", "b"}, spec.Command)
	require.Equal(t, "/tmp", spec.Dir)
	require.Equal(t, []string{"PORT=8080", "SECRET=x", "TOKEN=abcdef"}, spec.Env)
	require.Equal(t, []string{"-a"}, spec.Secrets)
}

// A file of variables is read at each start, and what stands in it is as secret
// as env.
func TestEnvFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vars")
	require.NoError(t, os.WriteFile(path, []byte("TOKEN=from-the-file\nPORT=1\n"), 0o600))
	cfg, faults := decode(t, "    command: [server, from-the-file]\n    env_file: "+path+"\n    env: {PORT: 2}\n")
	require.Empty(t, faults)
	spec, err := cfg.spec([]string{"TOKEN=x"}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"PORT=2", "TOKEN=from-the-file"}, spec.Env)
	require.Contains(t, spec.Secrets, "from-the-file")

	require.NoError(t, os.WriteFile(path, []byte("TOKEN=rotated"), 0o600))
	spec, err = cfg.spec(nil, nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"PORT=2", "TOKEN=rotated"}, spec.Env)

	require.NoError(t, os.Remove(path))
	_, err = cfg.spec(nil, nil, nil)
	require.EqualError(t, err, "env_file: "+path+": the file cannot be read: no such file or directory")
}

func TestInheritEnv(t *testing.T) {
	environ := []string{"HOME=/h", "OTHER=x"}
	tests := map[string][]string{
		"safe": {"HOME=/h"}, "all": {"HOME=/h", "OTHER=x"}, "true": {"HOME=/h", "OTHER=x"}, "none": {}, "false": {},
	}
	for value, want := range tests {
		t.Run(value, func(t *testing.T) {
			cfg, faults := decode(t, "    command: [server]\n    inherit_env: "+value+"\n")
			require.Empty(t, faults)
			spec, err := cfg.spec(environ, nil, nil)
			require.NoError(t, err)
			require.Equal(t, want, spec.Env)
		})
	}
}

func TestConfigFaults(t *testing.T) {
	tests := map[string]struct{ yaml, key, message string }{
		"no command":            {"    cwd: /tmp\n", "command", ""},
		"empty program":         {"    command: [\" \", x]\n", "command", "the program, is empty"},
		"command is a text":     {"    command: server -a\n", "command", ""},
		"NUL in an argument":    {"    command: [server]\n    args: [\"a\\0b\"]\n", "args", "NUL"},
		"NUL in cwd":            {"    command: [server]\n    cwd: \"a\\0b\"\n", "cwd", "NUL"},
		"bad variable":          {"    command: [server]\n    env: {\"A=B\": x}\n", "env", `"A" cannot begin`},
		"bad inherit_env":       {"    command: [server]\n    inherit_env: saef\n", "inherit_env", ""},
		"small max_line_bytes":  {"    command: [server]\n    max_line_bytes: 10\n", "max_line_bytes", "too small"},
		"no shutdown_timeout":   {"    command: [server]\n    shutdown_timeout: off\n", "shutdown_timeout", "without limit"},
		"zero shutdown_timeout": {"    command: [server]\n    shutdown_timeout: 0\n", "shutdown_timeout", ""},
		"startup_delay in ms":   {"    command: [server]\n    startup_delay: 100\n", "startup_delay", "counts seconds"},
		"unknown key":           {"    command: [server]\n    max_line_byte: 1\n", "max_line_byte", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, faults := decode(t, test.yaml)
			require.Len(t, faults, 1)
			require.Equal(t, test.key, faults[0].Key)
			require.Contains(t, faults[0].Message, test.message)
			require.Equal(t, "s", faults[0].Server)
			require.Positive(t, faults[0].Line)
		})
	}
}
