package mcpclient

import (
	"fmt"
	"log/slog"
	"strings"
)

// Clients, connections and groups are in use by other goroutines while somebody
// prints or logs them. What fmt and log/slog would do without these methods is to
// read their fields, maps included, without any lock: a data race, and the end of
// the program where a map is written at the same time.

// Format prints, for every verb, the names of the servers.
func (c *Client) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, c.describe()) }

// LogValue makes log/slog print what fmt does.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.describe()) }

func (c *Client) describe() string {
	if c == nil {
		return "<nil>"
	}
	return "MCP client of " + strings.Join(c.Servers(), ", ")
}

// Format prints, for every verb, the server's name and the connection's state.
func (c *Connection) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, c.describe()) }

// LogValue makes log/slog print what fmt does.
func (c *Connection) LogValue() slog.Value { return slog.StringValue(c.describe()) }

func (c *Connection) describe() string {
	if c == nil {
		return "<nil>"
	}
	return fmt.Sprintf("connection to MCP server %q, %v", c.name, c.State())
}

// Format prints, for every verb, the names of the members.
func (g *Group) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, g.describe()) }

// LogValue makes log/slog print what fmt does.
func (g *Group) LogValue() slog.Value { return slog.StringValue(g.describe()) }

func (g *Group) describe() string {
	if g == nil {
		return "<nil>"
	}
	var names []string
	for _, member := range g.members.all() {
		names = append(names, member.Name)
	}
	return "group of MCP servers " + strings.Join(names, ", ")
}
