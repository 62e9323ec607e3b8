package mcpclient

import "github.com/mcp-client-go/mcpclient/config"

// Explain returns the effective value of every key of a server, as it is in force
// now, and where it comes from; secrets are shown as ***, and references are not
// resolved. Of a server with faults that never worked it is the faulty section. It
// is empty for a transporter of WithTransporter, which has no configuration. It
// does no I/O. A name that is not there gives an error that wraps ErrUnknownServer.
func (c *Client) Explain(name string) ([]config.Entry, error) {
	servers := c.servers.Load()
	s, known := servers.byName[name]
	switch {
	case !known:
		return nil, servers.unknown(name)
	case s.section == nil:
		return nil, nil
	default:
		return c.factory.Explain(s.section), nil
	}
}
