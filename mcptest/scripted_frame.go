package mcptest

import (
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// take checks that the link can take the frame and that the frame is what the
// Outbound says, and notes it.
func (l *ScriptedLink) take(out *transporters.Outbound, request bool) (Received, error) {
	l.mu.Lock()
	started, ended := l.in != nil, l.err
	l.mu.Unlock()
	if ended != nil {
		return Received{}, fmt.Errorf("%w: %w", errors.ErrNotSent, ended)
	}
	if !started {
		l.fail("frame sent before Start: %s", out.Frame)
		return Received{}, errors.ErrNotSent
	}
	raw := append([]byte(nil), out.Frame...)
	m, err := jsonrpc.Scan(raw)
	if err != nil {
		l.fail("frame is no JSON-RPC message: %v: %s", err, raw)
		return Received{}, errors.ErrProtocol
	}
	if complaint := contradiction(out, m, request); complaint != "" {
		l.fail("%s: %s", complaint, raw)
	}
	frame := newReceived(m, out.Header.Clone())
	l.journal.add(frame)
	return frame, nil
}

// contradiction says where frame and Outbound disagree, "" where they do not.
func contradiction(out *transporters.Outbound, m mcp.Message, request bool) string {
	id, _ := m.ID.Uint64()
	token, _ := progressTokenOf(m.Params).Uint64()
	switch {
	case jsonscan.HasRawNewline(m.Raw):
		return "frame spans several lines (R059)"
	case request && m.Kind() != mcp.KindRequest:
		return "Exchange of a frame that is no request"
	case !request && m.Kind() == mcp.KindRequest:
		return "Send of a frame that is a request"
	case request && id != out.ID:
		return fmt.Sprintf("frame's id is %s, Outbound.ID %d", m.ID, out.ID)
	case m.Method != out.Method && m.Method != "":
		return fmt.Sprintf("frame's method is %q, Outbound.Method %q", m.Method, out.Method)
	case request && token != out.Token:
		return fmt.Sprintf("frame's progress token is %q, Outbound.Token %d", progressTokenOf(m.Params), out.Token)
	default:
		return ""
	}
}

// match finds and uses the first rule that covers the frame, or says why none
// does.
func (l *ScriptedLink) match(frame Received) (*Rule, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	complaint := fmt.Sprintf("unexpected %q with params %s", frame.Method, frame.Params)
	for _, rule := range l.rules {
		if rule.method != frame.Method {
			continue
		}
		if rule.times >= 0 && rule.used >= rule.times {
			complaint += "\n\t" + rule.describe() + ": used up"
			continue
		}
		if why := mismatchOf(rule.matchers, frame.Params); why != "" {
			complaint += "\n\t" + rule.describe() + ": " + why
			continue
		}
		rule.used++
		return rule, ""
	}
	return nil, complaint
}

func (l *ScriptedLink) fail(format string, args ...any) {
	l.mu.Lock()
	finished := l.finished
	l.mu.Unlock()
	if !finished {
		l.t.Helper()
		l.t.Errorf(l.traits.Name+" script: "+format, args...)
	}
}

// finish reports rules that were not used up.
func (l *ScriptedLink) finish() {
	l.mu.Lock()
	var unmet []string
	for _, rule := range l.rules {
		if rule.times > rule.used {
			unmet = append(unmet, fmt.Sprintf("%s: came %d times, expected %d", rule.describe(), rule.used, rule.times))
		}
	}
	l.finished = true
	l.mu.Unlock()
	for _, text := range unmet {
		l.t.Errorf("%s script: %s", l.traits.Name, text)
	}
}
