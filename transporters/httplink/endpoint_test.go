package httplink

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An address without a scheme is completed, and nothing else than an address is
// ever shown.
func TestAddressWithoutAScheme(t *testing.T) {
	for text, meant := range map[string]string{
		"127.0.0.1:3911/mcp":                       "http://127.0.0.1:3911/mcp",
		"127.0.0.1":                                "http://127.0.0.1",
		"[::1]:3911/mcp":                           "http://[::1]:3911/mcp",
		"localhost:3911/mcp":                       "http://localhost:3911/mcp",
		"localhost/mcp":                            "http://localhost/mcp",
		"example.com/mcp":                          "https://example.com/mcp",
		"example.com:8443/mcp":                     "https://example.com:8443/mcp",
		"api.example.com":                          "https://api.example.com",
		"example.com/mcp?key=canary#canary":        "https://example.com/mcp",
		"10.0.0.7:80/mcp":                          "https://10.0.0.7:80/mcp",
		"user:canary@example.com/mcp":              "https://example.com/mcp",
		"canary@example.com:8443/mcp":              "https://example.com:8443/mcp",
		"user:ca/nary@example.com/mcp":             "",
		"u.example:1/canary@example.com":           "",
		"u:canary@h/p":                             "",
		"server:3000/canary":                       "",
		"canary":                                   "",
		"canary:8080":                              "",
		"eyJcanary.eyJzdWIiOiIxIn0.c2lnbmF0dXJl":   "",
		"sk-canary.0123456789abcdef.example":       "",
		"mailto:x:canary":                          "",
		"mailto:canary@example.com":                "https://example.com", // mailto may as well be a user
		"http:canary":                              "",
		"https:canary.example":                     "",
		"http:/canary":                             "",
		"http:///canary":                           "",
		"/canary":                                  "",
		"file:///canary":                           "",
		"canary.example canary":                    "",
		"https://exa mple.com/canary":              "",
		"https://user:canary@example.com":          "",
		"http://[canary":                           "",
		"%canary":                                  "",
		"data:text/plain;base64,canary":            "",
		"javascript:canary.example/x":              "",
		"canary.":                                  "",
		".canary":                                  "",
		"CANARY.example/canary":                    "",
		"\x00canary":                               "",
		"postgres:canary@db.example.com:5432/prod": "https://db.example.com:5432/prod",
	} {
		t.Run(text, func(t *testing.T) {
			_, fault := parseEndpoint(text)
			require.NotNil(t, fault)
			if meant != "" {
				assert.Equal(t, "a scheme is missing; did you mean "+meant+"?", fault.message)
			} else {
				assert.NotContains(t, fault.message, "did you mean")
			}
			shown := fmt.Sprint(fault.message, fault.found, Config{BaseURL: text}, New("s", Config{BaseURL: text}), New("s", Config{BaseURL: text}).fault)
			assert.NotContains(t, shown, "canary")
		})
	}
}

func TestMissingSlashes(t *testing.T) {
	_, fault := parseEndpoint("https:example.com")
	require.Equal(t, &urlFault{message: "not an absolute HTTP URL: // is missing behind https:"}, fault)
}
