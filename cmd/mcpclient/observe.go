package main

import (
	"fmt"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// callOptions shows people what happens during a call: progress where they look
// on, and with --verbose what the server logs.
func (p *program) callOptions(what string) []mcpclient.CallOption {
	var options []mcpclient.CallOption
	if p.verbose || isTerminal(p.stderr) {
		options = append(options, mcpclient.OnProgress(func(progress mcp.Progress) { p.tellProgress(what, progress) }))
	}
	if p.verbose {
		options = append(options, mcpclient.OnEvent(p.tellLog),
			mcpclient.WithMeta(map[string]any{mcp.MetaLogLevel: mcp.LevelDebug})) // else a modern server sends none
	}
	return options
}

func (p *program) tellProgress(what string, progress mcp.Progress) {
	text := fmt.Sprintf("%s: %g", what, progress.Progress)
	if progress.Total > 0 {
		text += fmt.Sprintf(" of %g", progress.Total)
	}
	if progress.Message != "" {
		text += ": " + errors.PeerText(progress.Message, maxCell)
	}
	p.complain(text)
}

// maxLogText bounds what is shown of one log message, in bytes.
const maxLogText = 1000

func (p *program) tellLog(message mcp.Message) {
	if message.Method != mcp.NotificationMessage {
		return
	}
	logged, err := mcp.ParseLogMessage(message.Params)
	if err != nil {
		return
	}
	from := ""
	if logged.Logger != "" {
		from = " " + errors.PeerText(logged.Logger, maxCell)
	}
	p.complain(fmt.Sprintf("server log [%s]%s: %s",
		errors.PeerText(string(logged.Level), maxCell), from, errors.PeerText(logged.Text(), maxLogText)))
}
