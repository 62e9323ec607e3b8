package httplink

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheAddressIsToldWithItsPort(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://mcp.example.com/mcp?key=secret": "mcp.example.com:443",
		"unix:///run/mcp.sock#/mcp":              "unix:/run/mcp.sock",
		"http://mcp.example.com":                 "mcp.example.com:80",
		"https://[2001:db8::1]:8443/":            "[2001:db8::1]:8443",
		"http://[::1]/":                          "[::1]:80",
		"not a URL":                              "",
	} {
		assert.Equal(t, want, New("test", Config{BaseURL: endpoint}).Traits().Address, endpoint)
		assert.Equal(t, want, NewSSE("test", Config{BaseURL: endpoint}).Traits().Address, endpoint)
	}
}
