package policy

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// PayloadConfig is the configuration of the log of payloads.
type PayloadConfig struct {
	LogPayloads bool `config:"log_payloads" doc:"write params and results to the log at level debug, shortened and without what looks like a secret; they may hold personal data"`
}

// Payloads returns the policy that logs the params of every request and what comes
// back, at level debug: innermost, so that it shows what is really asked of the
// server, each retry and nothing that a cache answered. What the session adds, such
// as _meta, it does not see.
//
// Texts and lists are shortened, the whole to 4 KiB; values under names such as
// password and token, and bearer tokens and JSON web tokens anywhere, become ***.
// That is a net, not a promise: secrets under other names are not known as such.
// Without log_payloads it adds no policy.
func Payloads(server string, cfg PayloadConfig, logger hclog.Logger) transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		if !cfg.LogPayloads || logger == nil {
			return next
		}
		return &payloads{server: server, log: logger, next: next}
	}
}

type payloads struct {
	server string
	log    hclog.Logger
	next   transporters.Transporter
}

// Request logs the request, passes it on, and logs what comes back.
func (p *payloads) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	if !p.log.IsDebug() {
		return p.next.Request(ctx, action, params, onEvent)
	}
	shown := errors.PeerText(action, maxShown)
	if encoded, err := mcp.ParamsOf(params); err == nil { // else the session says what is wrong
		params = encoded
		p.log.Debug("request", "server", p.server, "action", shown, "params", shownPayload(encoded.Raw()), "bytes", len(encoded.Raw()))
	}
	began := time.Now()
	result, err := p.next.Request(ctx, action, params, onEvent)
	took := time.Since(began)
	if err != nil {
		p.log.Debug("request failed", "server", p.server, "action", shown, "took", took, "error", err)
	} else {
		p.log.Debug("result", "server", p.server, "action", shown, "took", took, "result", shownPayload(result.Raw()), "bytes", len(result.Raw()))
	}
	return result, err
}
