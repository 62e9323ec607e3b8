package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// paramsOf encodes the params, with the call's own _meta members put into theirs.
func paramsOf(params any, meta map[string]any) (*mcp.Params, error) {
	encoded, err := mcp.ParamsOf(params)
	if err != nil || len(meta) == 0 {
		return encoded, err
	}
	merged := map[string]any{}
	if own := encoded.Meta(); own != nil {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(own, &members); err != nil {
			return nil, fmt.Errorf("%w: _meta: %w", errors.ErrInvalidParams, err)
		}
		for key, value := range members {
			merged[key] = value
		}
	}
	maps.Copy(merged, meta)
	return encoded.With("_meta", merged)
}

func checkAction(action string) error {
	switch {
	case action == "":
		return refuse("an empty action", "name a method, for example tools/list")
	case action == mcp.MethodInitialize:
		return refuse(action, "the handshake is done by the session, with the first request")
	case strings.HasPrefix(action, "notifications/"):
		return refuse(action, "it is a notification, which nobody answers")
	default:
		return nil
	}
}
