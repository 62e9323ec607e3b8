package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

// acceptTools accepts the definitions of a server's tools that are not what they
// were (tools.pin): of those that are named, or of all. What is shown before is the
// tool as it is now.
func (p *program) acceptTools(ctx context.Context, server string, tools []string) error {
	if err := p.remembersPins(server); err != nil {
		return err
	}
	return p.withServer(ctx, server, func(ctx context.Context, connection *mcpclient.Connection) error {
		if _, err := connection.Tools(ctx); err != nil {
			return err
		}
		accepted := tools
		if len(accepted) == 0 {
			for _, change := range connection.ChangedTools() {
				accepted = append(accepted, change.Tool)
			}
		}
		if len(accepted) > 0 {
			if err := connection.AcceptTools(ctx, accepted...); err != nil {
				return codedError{err, exitUsage}
			}
		}
		return p.tellAccepted(accepted)
	})
}

// remembersPins returns an error if what is accepted would be forgotten with the
// end of the program.
func (p *program) remembersPins(server string) error {
	cfg, err := p.configuration()
	if err != nil {
		return err
	}
	section, found := cfg.Server(server)
	if !found {
		return nil // told by whoever connects
	}
	keys := map[string]string{}
	for _, entry := range newTypes().Explain(section) {
		keys[entry.Key] = entry.Value
	}
	switch {
	case keys["tools.pin"] == "" || keys["tools.pin"] == "off":
		return codedError{fmt.Errorf("server %q: there is nothing to accept: its tools are not pinned (tools.pin)", server), exitUsage}
	case keys["tools.pin_file"] == "":
		return codedError{fmt.Errorf("server %q: what is accepted here would be forgotten at once: there is no file to remember it (tools.pin_file)", server), exitUsage}
	default:
		return nil
	}
}

func (p *program) tellAccepted(tools []string) error {
	if p.json {
		return p.printJSON(map[string][]string{"accepted": append([]string{}, tools...)})
	}
	if len(tools) == 0 {
		return p.nothing("no tool has changed")
	}
	lines := make([]string, len(tools))
	for i, tool := range tools {
		lines[i] = "accepted " + errors.PeerText(tool, maxCell)
	}
	return p.printLine(strings.Join(lines, "\n"))
}
