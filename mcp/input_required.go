package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// maxInputRequests bounds what one round may ask for (P101).
const maxInputRequests = 256

// InputRequest is one thing that a server asks of the client before it goes on
// with a request.
type InputRequest struct {
	// Method is MethodElicit, MethodCreateMessage or MethodListRoots; anything
	// else comes from an extension or is a fault of the server (R216, P57).
	Method string `json:"method"`
	// Params is raw, nil where the server sent none or null, as it may for
	// roots/list.
	Params json.RawMessage `json:"params,omitempty"`
}

// InputRequests holds them by the keys under which they are answered.
type InputRequests map[string]InputRequest

// InputResponses holds the bare result objects, raw, by the keys of the
// requests they answer. Each key of the round is answered, those of earlier
// rounds are not repeated (R213, R214).
type InputResponses map[string]json.RawMessage

// InputRequiredResult is the answer of a modern server that needs something
// before it can go on. Only tools/call, prompts/get and resources/read may
// answer so (R215).
type InputRequiredResult struct {
	// InputRequests is nil if the server asks for nothing; then it wants time,
	// and the request may be repeated at once (R207).
	InputRequests InputRequests
	// RequestState is the raw JSON value that the repeated request carries, byte
	// for byte; nil if it must carry none (R208, R209). Nobody may look into it,
	// and it belongs in no log and no cache (R210, P54).
	RequestState json.RawMessage
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole result as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage
}

// ParseInputRequiredResult decodes what a server asks for. Other members, such
// as a content that is null, are passed over. The error wraps ErrProtocol: the
// result is no object, or has neither inputRequests nor requestState (R217); its
// inputRequests are no object, are more than 256, have a key twice, or one of
// them has no method. It does not check the resultType.
func ParseInputRequiredResult(r Result) (*InputRequiredResult, error) {
	return decodeResult[InputRequiredResult](r)
}

func (r *InputRequiredResult) decode(raw []byte) error {
	*r = InputRequiredResult{Raw: raw}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) (err error) {
		switch string(name) {
		case "inputRequests":
			r.InputRequests, err = readInputRequests(c)
		case "requestState":
			r.RequestState = readKept(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
		return err
	})
	if err == nil && r.InputRequests == nil && r.RequestState == nil {
		err = errors.New(`neither "inputRequests" nor "requestState" is there`)
	}
	return err
}

// readInputRequests reads the requests of one round; null counts as absent. A
// request that cannot be understood is an error, since leaving out its answer
// would only bring the next round.
func readInputRequests(c *jsonscan.Cursor) (InputRequests, error) {
	if c.Kind() == 'n' {
		c.Value()
		return nil, nil
	}
	if !c.Object() {
		kind := kindOf(c.Value())
		return nil, fmt.Errorf("%q must be an object, found %s", "inputRequests", kind)
	}
	requests := InputRequests{}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		key := string(name)
		if _, twice := requests[key]; twice {
			return nil, fmt.Errorf("inputRequests has the member %q twice", shortened(key))
		}
		if len(requests) == maxInputRequests {
			return nil, fmt.Errorf("inputRequests has more than %d members", maxInputRequests)
		}
		request, problem := readInputRequest(c)
		if problem != "" {
			return nil, fmt.Errorf("inputRequests[%q] %s", shortened(key), problem)
		}
		requests[key] = request
	}
	return requests, c.Err()
}

func readInputRequest(c *jsonscan.Cursor) (request InputRequest, problem string) {
	if !c.Object() {
		return request, "must be an object, found " + kindOf(c.Value())
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "method":
			request.Method = readText(c)
		case "params":
			request.Params = readKept(c)
		default:
			c.Value()
		}
	}
	if request.Method == "" {
		return request, "has no method"
	}
	return request, ""
}

// UnmarshalJSON decodes the result; Raw is a copy of data.
func (r *InputRequiredResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r InputRequiredResult) MarshalJSON() ([]byte, error) {
	return marshal(r.Raw, struct {
		ResultType    string          `json:"resultType"`
		InputRequests InputRequests   `json:"inputRequests,omitempty"`
		RequestState  json.RawMessage `json:"requestState,omitempty"`
		Meta          json.RawMessage `json:"_meta,omitempty"`
	}{ResultInputRequired, r.InputRequests, r.RequestState, r.Meta})
}

// String tells the number of requests only: the state is nobody's to log.
func (r InputRequiredResult) String() string {
	return fmt.Sprintf("input required: %d requests, state of %d bytes", len(r.InputRequests), len(r.RequestState))
}

// GoString is String, so that %#v shows no contents either.
func (r InputRequiredResult) GoString() string { return r.String() }
