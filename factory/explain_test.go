package factory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExplain(t *testing.T) {
	explained := func(keys string) map[string]string {
		values := map[string]string{}
		for _, entry := range New().Explain(section(t, "servers:\n  s: {"+keys+"}\n")) {
			origin := entry.Origin.String()
			if entry.Default {
				origin = "default"
			}
			values[entry.Key] = entry.Value + " " + origin
		}
		return values
	}
	values := explained("type: http, url: 'https://h', token: " + canary + ", tls: {min_version: '1.3'}, command: x")
	assert.Equal(t, "http mcp.yaml:2:7", values["type"])
	assert.Equal(t, "https://h mcp.yaml:2:19", values["base_url"])
	assert.Equal(t, "*** mcp.yaml:2:37", values["token"])
	assert.Equal(t, "60s default", values["request_timeout"])
	assert.Equal(t, "1.3 mcp.yaml:2:67", values["tls.min_version"])
	assert.Equal(t, "*** mcp.yaml:2:88", values["command"], "a key of another type")
	assert.NotContains(t, values, "auth.grant", "a group that is absent")
	assert.NotContains(t, values, "inherit_env")
	assert.Equal(t, "safe default", explained("type: stdio, command: x")["inherit_env"])
	assert.Equal(t, "60s default", explained("type: pigeon")["request_timeout"])
}
