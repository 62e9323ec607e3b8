package auth

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// decode reads a section auth and checks it.
func decode(t *testing.T, section map[string]any) (Config, []errors.Fault) {
	t.Helper()
	cfg, err := config.FromServers(map[string]any{"files": map[string]any{"auth": section}})
	require.NoError(t, err)
	server, ok := cfg.Server("files")
	require.True(t, ok)
	var keys struct {
		Auth *Config `config:"auth"`
	}
	if faults := server.Decode(&keys); len(faults) > 0 {
		return Config{}, faults
	}
	require.NotNil(t, keys.Auth)
	return *keys.Auth, keys.Auth.Check(server, "auth")
}

func TestDefaults(t *testing.T) {
	cfg, faults := decode(t, map[string]any{})
	require.Empty(t, faults)
	assert.Equal(t, defaults(nil), cfg)
	assert.False(t, cfg.unattended())
}

func TestCheck(t *testing.T) { // R248, R253, R257, R276
	key, _ := newKey(t)
	type section = map[string]any
	for name, test := range map[string]struct {
		section section
		key     string // of the fault; "" is none
	}{
		"client":                 {section{"client_id": "x", "client_secret": "canary"}, ""},
		"key":                    {section{"client_id": "x", "private_key": key}, ""},
		"bad key":                {section{"client_id": "x", "private_key": "canary"}, "auth.private_key"},
		"secret alone":           {section{"client_secret": "canary"}, "auth.client_secret"},
		"key alone":              {section{"private_key": key}, "auth.private_key"},
		"grant":                  {section{"grant": "password"}, "auth.grant"},
		"method":                 {section{"token_endpoint_auth_method": "basic"}, "auth.token_endpoint_auth_method"},
		"dpop":                   {section{"dpop": "maybe"}, "auth.dpop"},
		"method without secret":  {section{"client_id": "x", "token_endpoint_auth_method": "client_secret_post"}, "auth.client_secret"},
		"method without key":     {section{"client_id": "x", "token_endpoint_auth_method": "private_key_jwt"}, "auth.private_key"},
		"redirect":               {section{"redirect_url": "https://app.example.com/cb"}, ""},
		"plain redirect":         {section{"redirect_url": "http://app.example.com/cb"}, "auth.redirect_url"},
		"redirect scheme":        {section{"redirect_url": "javascript:canary"}, "auth.redirect_url"},
		"redirect fragment":      {section{"redirect_url": "https://app.example.com/cb#x"}, "auth.redirect_url"},
		"issuer":                 {section{"issuer": "http://as.example.com"}, "auth.issuer"},
		"metadata":               {section{"client_metadata_url": "https://app.example.com/c.json"}, ""},
		"metadata without path":  {section{"client_metadata_url": "https://app.example.com/"}, "auth.client_metadata_url"},
		"metadata on loopback":   {section{"client_metadata_url": "http://localhost/c"}, "auth.client_metadata_url"},
		"scope":                  {section{"scopes": []any{"a b"}}, "auth.scopes"},
		"machine":                {section{"grant": "client_credentials", "client_id": "x", "client_secret": "canary"}, ""},
		"machine without secret": {section{"grant": "client_credentials", "client_id": "x"}, "auth.client_secret"},
		"machine without id":     {section{"grant": "client_credentials"}, "auth.client_id"},
		"workload":               {section{"grant": "jwt_bearer", "assertion": "canary"}, ""},
		"workload without token": {section{"grant": "jwt_bearer"}, "auth.assertion"},
		"enterprise":             {section{"grant": "enterprise_managed", "client_id": "x", "identity_provider": section{"token_endpoint": "https://idp.example.com/t", "client_id": "y"}}, ""},
		"enterprise without":     {section{"grant": "enterprise_managed", "client_id": "x", "identity_provider": section{"client_id": "y"}}, "auth.identity_provider.token_endpoint"},
		"store":                  {section{"store": section{"path": "/tmp/x", "key": "canary"}}, ""},
		"store without key":      {section{"store": section{"path": "/tmp/x"}}, "auth.store.key"},
		"store without path":     {section{"store": section{"key": "canary"}}, "auth.store.path"},
		"unknown":                {section{"client": "x"}, "auth.client"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := decode(t, test.section)
			var keys []string
			for _, fault := range faults {
				keys = append(keys, fault.Key)
				assert.NotContains(t, fault.String(), "canary")
			}
			if test.key == "" {
				assert.Empty(t, keys)
				return
			}
			assert.Contains(t, keys, test.key)
		})
	}
}

func TestConfigDoesNotShowSecrets(t *testing.T) {
	cfg := Config{ClientSecret: secret("canary"), Store: StoreConfig{Key: secret("canary")}}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", cfg, cfg, cfg), "canary")
}
