package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// observe shows people what happens during a call: its progress, and what the
// server logs. done ends it.
// What servers log comes beside the call, to the handler of notifications, on
// whichever way it came.
func (p *program) observe(ctx context.Context, connection *mcpclient.Connection, what string) (options []mcpclient.CallOption, done func()) {
	bar := p.bars().Add(what, false)
	options = append(options, mcpclient.OnProgress(func(progress mcp.Progress) {
		bar.Report(terminal.Progress{Done: progress.Progress, Total: progress.Total, Message: progress.Message})
	}))
	level := p.level()
	if level == "" {
		return options, bar.Done
	}
	if info, err := connection.ServerInfo(ctx); err == nil && info.Era == mcp.EraModern {
		options = append(options, mcpclient.WithMeta(map[string]any{mcp.MetaLogLevel: level})) // else it sends none
	}
	return options, func() {
		p.settle(ctx, connection)
		bar.Done()
	}
}

// level is the lowest level of what is shown of servers' logs; "" for nothing.
func (p *program) level() mcp.LoggingLevel {
	switch {
	case p.quiet || p.logLevel.off:
		return ""
	case p.logLevel.level != "":
		return p.logLevel.level
	case p.isVerbose():
		return mcp.LevelDebug
	case p.errorOutput().IsTerminal():
		return mcp.LevelWarning
	default:
		return ""
	}
}

// askForLogs tells a legacy server from which level on it should log, if that
// was asked for. A server that does not know how is left as it is.
func (p *program) askForLogs(ctx context.Context, connection *mcpclient.Connection) {
	if level := p.level(); level != "" && (p.isVerbose() || p.logLevel.level != "") && p.logs(ctx, connection, mcp.EraLegacy) {
		_, _ = connection.Request(ctx, mcp.MethodSetLevel, map[string]any{"level": level}, nil)
	}
}

// logs reports whether a server says that it logs, and is of one of the eras.
func (p *program) logs(ctx context.Context, connection *mcpclient.Connection, eras ...mcp.Era) bool {
	info, err := connection.ServerInfo(ctx)
	return err == nil && slices.Contains(eras, info.Era) && mcp.ParseServerCapabilities(info.Capabilities).Logging
}

// maxLogText bounds what is shown of one log message, in bytes.
const maxLogText = 1000

// tellLog shows a message if it is one of a server's log.
func (p *program) tellLog(message mcp.Message) {
	if message.Method != mcp.NotificationMessage {
		return
	}
	logged, err := mcp.ParseLogMessage(message.Params)
	least := p.level()
	if err != nil || least == "" || logged.Level.Severity() >= 0 && logged.Level.Severity() < least.Severity() {
		return
	}
	p.logged.mark()
	from := ""
	if logged.Logger != "" {
		from = " " + errors.PeerText(logged.Logger, maxCell)
	}
	style := terminal.Dim
	if logged.Level.Severity() >= mcp.LevelError.Severity() {
		style = terminal.Red
	}
	p.bars().Above(p.errorOutput().Paint(style, fmt.Sprintf("server log [%s]%s: %s",
		errors.PeerText(string(logged.Level), maxCell), from, errors.PeerText(logged.Text(), maxLogText))))
}

const (
	// settleTime is how long logs that belong to no call must have been silent
	// before the program ends; settleLimit bounds the wait.
	settleTime  = 25 * time.Millisecond
	settleLimit = 250 * time.Millisecond
)

// settle waits for what a server logged before it answered and that comes beside
// the answer, over stdio for example.
func (p *program) settle(ctx context.Context, connection *mcpclient.Connection) {
	if p.logs(ctx, connection, mcp.EraLegacy, mcp.EraModern) {
		p.logged.wait(settleTime, settleLimit)
	}
}

// quiescence knows when something happened last.
type quiescence struct{ count atomic.Int64 }

func (q *quiescence) mark() { q.count.Add(1) }

// wait returns once nothing has happened for a time, or after the limit.
func (q *quiescence) wait(silence, limit time.Duration) {
	for ; limit > 0; limit -= silence {
		before := q.count.Load()
		time.Sleep(silence)
		if q.count.Load() == before {
			return
		}
	}
}

// levelFlag is the value of --log.
type levelFlag struct {
	level mcp.LoggingLevel
	off   bool
}

// Set reads the value.
func (f *levelFlag) Set(text string) error {
	level := mcp.LoggingLevel(text)
	if text != "off" && level.Severity() < 0 {
		return errors.New("wanted: debug, info, notice, warning, error, critical, alert, emergency or off")
	}
	*f = levelFlag{level: level}
	if text == "off" {
		*f = levelFlag{off: true}
	}
	return nil
}

// String is the default that help shows, none.
func (f *levelFlag) String() string { return "" }

// Type names the value in help.
func (f *levelFlag) Type() string { return "level" }
