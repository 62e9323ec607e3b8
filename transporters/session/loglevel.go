package session

import (
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// logLevel is the level that logging/setLevel asked for. Legacy servers are told
// once, and again in each new session; modern ones with every request (R169,
// P47).
type logLevel struct {
	asked atomic.Pointer[mcp.LoggingLevel]
}

func (l *logLevel) get() mcp.LoggingLevel {
	if level := l.asked.Load(); level != nil {
		return *level
	}
	return ""
}

// set reads the level from the params of logging/setLevel.
func (l *logLevel) set(params *mcp.Params) error {
	raw, _ := jsonscan.Find(params.Raw(), "level")
	text, _ := jsonscan.String(raw)
	level := mcp.LoggingLevel(text)
	if level.Severity() < 0 {
		return notSent(&errors.TransporterRequestError{
			Kind: errors.KindParams, Err: errors.ErrInvalidParams,
			Message: "logging/setLevel: unknown level; found \"" + errors.PeerText(text, 40) + "\"; allowed: debug, info, notice, warning, error, critical, alert, emergency",
		})
	}
	l.asked.Store(&level)
	return nil
}

// members returns the _meta members of a request to the peer: those of its era,
// and in the modern one the log level, unless the caller gave one.
func (s *Session) members(p *peer, params *mcp.Params) []byte {
	meta := p.era.meta()
	level := s.logLevel.get()
	if level == "" || p.info.Era != mcp.EraModern || params.LogLevel() != "" {
		return meta
	}
	with := append(make([]byte, 0, len(meta)+64), meta...)
	with = append(with, `,"`+mcp.MetaLogLevel+`":`...)
	return jsonscan.AppendString(with, string(level))
}

// restoreLogLevel tells a fresh legacy peer the level that was asked for before.
func (n *negotiation) restoreLogLevel(strategy *legacy) {
	level := n.session.logLevel.get()
	if level == "" {
		return
	}
	params, err := mcp.ParamsOf(map[string]mcp.LoggingLevel{"level": level})
	if err != nil {
		return
	}
	if _, err := n.session.exchange(n.ctx, n.link, mcp.MethodSetLevel, params, nil, strategy.headers); err != nil {
		n.session.log.Debug("could not set the log level again", "server", n.session.server, "error", err)
	}
}
