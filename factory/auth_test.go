package factory

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
)

func TestFaultsOfTheSectionAuth(t *testing.T) {
	for _, kind := range []string{"http", "sse"} {
		for lines, want := range map[string]string{
			"auth: {grant: implicit}":                         "mcp.yaml:5:12: server \"s\": auth.grant: unknown value",
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

func TestAFolderThatCannotBeOpened(t *testing.T) {
	store := &lazyStore{config: auth.StoreConfig{Path: "/dev/null/x", Key: config.LiteralSecret("short")}}
	_, _, err := store.Get(t.Context(), auth.Key{})
	require.ErrorContains(t, err, "32 bytes")
	require.Error(t, store.Put(t.Context(), auth.Key{}, nil, time.Time{}))
	_, err = store.Delete(t.Context(), auth.Key{}, nil)
	require.Error(t, err)
}
