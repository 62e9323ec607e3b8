package mcpclient_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
)

// Clients and connections are printed by what they are, not by what is in them.
func TestFormat(t *testing.T) {
	client, err := mcpclient.New(parse(t, "servers:\n  a: {type: http, base_url: 'https://a.example.com/mcp', token: canary-1, auth: {}}\n  b: {type: bogus}\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	connection, err := client.Connect("a")
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
		require.Equal(t, "client of the servers a, b", fmt.Sprintf(verb, client))
		require.Equal(t, `connection to server "a"`, fmt.Sprintf(verb, connection))
		require.Equal(t, `authorizer of server "a"`, fmt.Sprintf(verb, connection.Authorizer()))
		require.Equal(t, `credentials of principal "alice" for server "a"`, fmt.Sprintf(verb, connection.Authorizer().Principal("alice")))
	}
	var none *mcpclient.Client
	var nowhere *mcpclient.Connection
	require.Equal(t, "<nil> <nil>", fmt.Sprint(none, nowhere))
}
