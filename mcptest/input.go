package mcptest

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// InputRequired is what a tool's handler returns to ask for input in the modern
// era: the result of this round. state comes back with the answers in the next
// one, see Call.RequestState; "" leaves it out. Without requests the client is
// asked to come again.
func InputRequired(requests mcp.InputRequests, state string) json.RawMessage {
	result := struct {
		ResultType    string            `json:"resultType"`
		InputRequests mcp.InputRequests `json:"inputRequests,omitempty"`
		RequestState  string            `json:"requestState,omitempty"`
	}{mcp.ResultInputRequired, requests, state}
	return encode(result)
}

// ElicitForm returns the request for a form, for InputRequired or, in the legacy
// era, by its Method and Params, for Call.Request. schema is JSON text or encodes
// to it.
func ElicitForm(message string, schema any) mcp.InputRequest {
	return mcp.InputRequest{Method: mcp.MethodElicit, Params: encode(struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}{"form", message, rawJSON(schema)})}
}

// InputResponses returns the answers that the client gives in this round, nil in
// the first one.
func (c *Call) InputResponses() mcp.InputResponses {
	var responses mcp.InputResponses
	if json.Unmarshal(memberOf(c.Params, "inputResponses"), &responses) != nil {
		return nil
	}
	return responses
}

// RequestState returns the state that the round before gave, "" if there is none.
func (c *Call) RequestState() string {
	state, _ := textMember(c.Params, "requestState")
	return state
}
