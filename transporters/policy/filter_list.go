package policy

import (
	"context"
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// listFilter removes entries from one kind of list.
type listFilter struct {
	rules  Rules
	group  string
	member string // of the result, which holds the entries
	key    string // of an entry, by which it is judged
}

// listOf returns the filter of a list action, and whether there is one.
func (f *filter) listOf(action string) (listFilter, bool) {
	var list listFilter
	switch action {
	case mcp.MethodListTools:
		list = listFilter{f.cfg.Tools.Rules, "tools", "tools", "name"}
	case mcp.MethodListPrompts:
		list = listFilter{f.cfg.Prompts, "prompts", "prompts", "name"}
	case mcp.MethodListResources:
		list = listFilter{f.cfg.Resources, "resources", "resources", "uri"}
	case mcp.MethodListResourceTemplates:
		list = listFilter{f.cfg.Resources, "resources", "resourceTemplates", "uriTemplate"}
	}
	return list, list.member != "" && !list.rules.isZero()
}

// request asks for the list. Events are filtered as well: the answer is one.
func (l listFilter) request(ctx context.Context, next transporters.Transporter, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	filtered := onEvent
	if onEvent != nil {
		filtered = func(message mcp.Message) { onEvent(l.message(message)) }
	}
	result, err := next.Request(ctx, action, params, filtered)
	if err != nil || result.IsEnvelope() {
		return result, err
	}
	return mcp.NewResult(l.filter(result.Raw())), nil
}

func (l listFilter) message(message mcp.Message) mcp.Message {
	if message.Result == nil {
		return message
	}
	message.Result = l.filter(message.Result)
	message.Raw = jsonrpc.AppendResult(nil, message.ID, message.Result)
	return message
}

// filter returns the result without the entries that are not allowed.
func (l listFilter) filter(result json.RawMessage) json.RawMessage {
	return mcp.FilterEntries(result, l.member, l.isAllowed)
}

// isAllowed judges an entry by its key. One that has the key twice must be
// allowed under both; one that has none is allowed as the empty name is.
func (l listFilter) isAllowed(entry json.RawMessage) bool {
	found := false
	cursor := jsonscan.TrustedCursor(entry)
	if cursor.Object() {
		for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
			if string(name) != l.key {
				cursor.Value()
				continue
			}
			found = true
			if text, _ := cursor.Text(); l.rules.refusal(l.group, text) != "" {
				return false
			}
		}
	}
	return found || l.rules.refusal(l.group, "") == ""
}
