package mcpclient

import (
	"fmt"
	"io"
	"strings"
)

// Format prints which servers the client has, for every verb: neither what is
// behind them nor anything that changes while calls are running.
func (c *Client) Format(state fmt.State, _ rune) {
	if c == nil {
		_, _ = io.WriteString(state, "<nil>")
		return
	}
	_, _ = io.WriteString(state, "client of the servers "+strings.Join(c.Servers(), ", "))
}

// Format prints which server the connection is to, for every verb.
func (c *Connection) Format(state fmt.State, _ rune) {
	if c == nil {
		_, _ = io.WriteString(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "connection to server %q", c.name)
}
