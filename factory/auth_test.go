package factory

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFaultsOfTheSectionAuth(t *testing.T) {
	for _, kind := range []string{"http", "sse"} {
		for lines, want := range map[string]string{
			"auth: {type: implicit}":                          "mcp.yaml:5:12: server \"s\": auth.type: unknown value",
			"auth: {grant: implicit}":                         "auth.grant: unknown value",
			"auth: {type: oauth, grant: oauth}":               "auth.grant",
			"auth: {type: bearer}":                            "auth.token: a bearer token is wanted",
			"auth: {type: oauth, token: x}":                   "auth.type: token and token_command are for another type",
			"auth: {token: x, token_command: [y]}":            "auth.token_command: there is a token already",
			"auth: {token_command: [y], token_timeout: off}":  "auth.token_timeout: a command that hangs has to be ended",
			"auth: {token: 'a b'}":                            "auth.token: a token cannot contain blanks",
			"auth: {consent_timeout: off}":                    "auth.consent_timeout: an authorization that nobody completes",
			"auth: {client_idd: x}":                           `auth.client_idd: unknown key; did you mean "auth.client_id"?`,
			"auth: {redirect_url: 'http://app.example.com/'}": "auth.redirect_url: codes and tokens must not travel in the open",
			"auth: {store: {path: /tmp/x}}":                   "auth.store.key: tokens are not kept in files unencrypted",
			"auth: yes":                                       "auth: a map of keys is wanted here",
		} {
			_, err := New().Make(section(t, fmt.Sprintf("servers:\n  s:\n    type: %s\n    base_url: https://h\n    %s\n", kind, lines)))
			require.ErrorContains(t, err, want, lines)
		}
	}
}

func TestTheSectionAuthMakesAnAuthorizer(t *testing.T) {
	made, err := New().Make(section(t, "servers:\n  s:\n    type: http\n    base_url: https://h\n    auth: {}\n"))
	require.NoError(t, err)
	require.NotNil(t, made.Authorizer)
	assert.Equal(t, "s", made.Authorizer.Server())
	before := made.Authorizer
	made.Slot.Replace(Blueprint{})
	require.NoError(t, made.Slot.Close())
	_, err = before.Status(t.Context(), "")
	require.Error(t, err, "the authorizer of a blueprint that was replaced ends with the slot")

	made, err = New().Make(section(t, "servers:\n  s:\n    type: http\n    base_url: https://h\n"))
	require.NoError(t, err)
	assert.Nil(t, made.Authorizer)
	require.NoError(t, made.Slot.Close())
}

func TestTypesOfAuthorization(t *testing.T) {
	for lines, wantsAuthorizer := range map[string]bool{
		"{}":                                true,
		"{type: oauth}":                     true,
		"{grant: authorization_code}":       true,
		"{type: none}":                      false,
		"{type: none, client_secret: x}":    false,
		"{type: bearer, token: x}":          false,
		"{token: x}":                        false,
		"{token_command: [print-token]}":    false,
		"{type: jwt_bearer, assertion: x}":  true,
		"{grant: jwt_bearer, assertion: x}": true,
		"{type: client_credentials, client_id: x, client_secret: y}": true,
	} {
		made, err := New().Make(section(t, "servers:\n  s:\n    type: http\n    base_url: https://h\n    auth: "+lines+"\n"))
		require.NoError(t, err, lines)
		assert.Equal(t, wantsAuthorizer, made.Authorizer != nil, lines)
		require.NoError(t, made.Slot.Close())
	}
}
