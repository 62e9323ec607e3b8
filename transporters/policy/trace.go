package policy

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// MetaHook returns members for the _meta of the request that ctx belongs to, or
// nil for none. It is called once for each request, in the goroutine that makes
// it, and must not change what it returned before.
type MetaHook func(ctx context.Context) map[string]any

// Trace returns the policy that puts what the hook returns into the _meta of
// every request: the seam for traceparent, tracestate and baggage (R026). What
// the call itself says under the same key wins, and the protocol's own keys are
// protected as they are everywhere.
//
// Values under the three keys must have the formats of W3C Trace Context and
// Baggage. One that has not is left out, and so is a tracestate without a
// traceparent; the call goes on, and the log says so once for each key. A nil
// hook adds no policy.
func Trace(server string, hook MetaHook, logger hclog.Logger) transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		if hook == nil {
			return next
		}
		if logger == nil {
			logger = hclog.NewNullLogger()
		}
		return &trace{server: server, hook: hook, log: logger, next: next}
	}
}

type trace struct {
	server string
	hook   MetaHook
	log    hclog.Logger
	next   transporters.Transporter
	warned warned
}

// Request adds the hook's members and passes the request on.
func (t *trace) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	added := t.hook(ctx)
	if len(added) == 0 {
		return t.next.Request(ctx, action, params, onEvent)
	}
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, unencodable(t.server, action, err)
	}
	own := transporters.CallOptionsOf(ctx).Meta
	merged := t.merge(added, own, encoded)
	if len(merged) > len(own) {
		ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Meta = merged })
	}
	return t.next.Request(ctx, action, encoded, onEvent)
}

// merge returns the call's own members and those of the hook that are sound and
// not there yet.
func (t *trace) merge(added, own map[string]any, params *mcp.Params) map[string]any {
	merged := make(map[string]any, len(added)+len(own))
	maps.Copy(merged, own)
	for key, value := range added {
		if isTaken(key, own, params) {
			continue
		}
		if err := checkTraceMember(key, value); err != nil {
			t.complain(key, err)
			continue
		}
		merged[key] = value
	}
	_, isOurs := merged[MetaTracestate]
	if _, hasParent := merged[MetaTraceparent]; isOurs && !hasParent && !isTaken(MetaTraceparent, nil, params) && !isTaken(MetaTracestate, own, params) {
		t.complain(MetaTracestate, errNoTraceparent)
		delete(merged, MetaTracestate)
	}
	return merged
}

var errNoTraceparent = errors.New("there is no traceparent beside it")

func (t *trace) complain(key string, err error) {
	if t.warned.first("", key) {
		t.log.Warn("left a member of _meta out", "server", t.server, "key", key, "error", err)
	}
}

// isTaken reports whether the call says something under the key itself.
func isTaken(key string, own map[string]any, params *mcp.Params) bool {
	if _, found := own[key]; found {
		return true
	}
	_, found := jsonscan.Find(params.Meta(), key)
	return found
}

// checkTraceMember checks the three members with a format; others have none.
func checkTraceMember(key string, value any) error {
	check := checkBaggage
	switch key {
	case MetaTraceparent:
		check = func(text string) error { _, err := ParseTraceparent(text); return err }
	case MetaTracestate:
		check = checkTracestate
	case MetaBaggage:
	default:
		return nil
	}
	switch v := value.(type) {
	case string:
		return check(v)
	case Traceparent:
		return v.check()
	default:
		return fmt.Errorf("found a %T; allowed: a string", value)
	}
}
