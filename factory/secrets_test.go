package factory

import (
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bytes"

	"github.com/mcp-client-go/mcpclient/config"
)

const canary = "sEcReT/1-canary"

// No fault, of any checker, shows what a reference stands for.
func TestFaultsShowNoReferencedValue(t *testing.T) {
	t.Setenv("MCP_FACTORY_TEST_SECRET", canary)
	t.Setenv("MCP_FACTORY_TEST_SHORT", "zQz")
	const http, stdio = "type: http\n    base_url: http://h\n    ", "type: stdio\n    command: [x]\n    "
	for _, keys := range []string{
		"type: '@'", stdio + "id_type: '@'", stdio + "protocol: '@'", stdio + "progress: 'a@'", stdio + "timeout: '@'",
		stdio + "tools: {deny: ['[@']}", stdio + "prompts: {allow: [a, '[@']}", stdio + "inherit_env: '@'",
		stdio + "cwd: \"@\\0\"", stdio + "env: {\"A=@\": x}", stdio + "supervision: {max_restarts: '@'}", stdio + "args: ['@', [b]]",
		stdio + "max_line_bytes: '@'", stdio + "startup_delay: '@'",
		"type: http\n    base_url: '@'", "type: http\n    base_url: 'ftp://@/x'", "type: http\n    base_url: 'https://h/x#@'", "type: http\n    base_url: ' https://h/@'",
		http + "identity_headers: [X-A, 'X @']", http + "tls: {min_version: '@'}", http + "tls: {ca_file: '/nowhere/@'}",
		http + "network: {deny: ['@ x']}", http + "network: {allow: ['http://@']}", "type: http\n    base_url: 'unix:@'", "type: http\n    base_url: 'unix:///run/@#x'",
		"type: http\n    base_url: 'http+unix://%2Frun%@/mcp'", "type: http\n    base_url: 'http+unix:///run/@/mcp'", "type: http\n    base_url: 'https://@.example'\n    network: {deny: ['*']}",
		"type: http\n    base_url: 'unix:///run/@'\n    auth: {}",
		http + "tls: {cert_file: '/nowhere/@', key_file: '/nowhere/@'}", http + "proxy: '@'", http + "token: \"@\\n\"", http + "headers: {X-A: \"@\\x01\"}",
	} {
		for name, value := range map[string]string{"${MCP_FACTORY_TEST_SECRET}": canary, "${MCP_FACTORY_TEST_SHORT}": "zQz"} {
			s := section(t, "servers:\n  s:\n    "+string(bytes.ReplaceAll([]byte(keys), []byte("@"), []byte(name)))+"\n")
			_, err := New().Make(s)
			require.Error(t, err, keys)
			assert.NotContains(t, err.Error(), value, keys)
			assert.NotContains(t, err.Error(), "canary", keys)
		}
	}
	s := section(t, "servers:\n  s:\n    "+stdio+"id_type: ${MCP_FACTORY_TEST_SECRET}\n")
	_, err := New().Make(s)
	assert.ErrorContains(t, err, `found "${MCP_FACTORY_TEST_SECRET}"`)
}

// A reference among the words of a command is shown neither in the error of a
// start nor in the log.
func TestCommandsShowNoReferencedValue(t *testing.T) {
	t.Setenv("MCP_FACTORY_TEST_SECRET", canary)
	for _, command := range []string{
		"[no-such-program, '${MCP_FACTORY_TEST_SECRET}']", "['${MCP_FACTORY_TEST_SECRET}']", "['/nowhere/${MCP_FACTORY_TEST_SECRET}']",
		"[no-such-program]\n    args: ['--x=${MCP_FACTORY_TEST_SECRET}']", "[go]\n    cwd: '/${MCP_FACTORY_TEST_SECRET}'",
	} {
		cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  s:\n    type: stdio\n    command: "+command+"\n"))
		require.NoError(t, err)
		s, _ := cfg.Server("s")
		var log bytes.Buffer
		made, err := New(WithLogger(hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Trace}))).Make(s)
		require.NoError(t, err)
		_, err = made.Head.Request(t.Context(), "ping", nil, nil)
		require.Error(t, err)
		assert.ErrorContains(t, err, "***")
		assert.NotContains(t, err.Error(), "canary", command)
		require.NoError(t, made.Slot.Close())
		assert.NotContains(t, log.String(), "canary", command)
	}
}
