package session

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Handlers serve what a server asks of the client: as requests from legacy
// servers, inside input-required results from modern ones. What the client
// announces follows from which of them are set (R055, R190); the zero value
// announces nothing.
//
// They are called from goroutines of their own (legacy) or from the goroutine
// of the call (modern), several at a time, never under a lock, and may make
// calls themselves. server is the configured name of the one who asks, which is
// to be shown to the user (R195). ctx ends when the server, or the one whose
// call it is, no longer waits; in the modern era, and for requests that arrive
// on the stream of a call, it carries the values of the caller's context.
//
// An error answers the request with "internal error", without its text; a
// *mcp.Error is sent as it is, for example one with mcp.CodeUserRejected. In the
// modern era an error fails the call. A panic counts as an error.
type Handlers struct {
	// ElicitForm asks the user to fill in a form. Of accepted content what is
	// missing is filled in with the schema's defaults (R196), and it is checked
	// against the schema before it is sent (R197).
	ElicitForm func(ctx context.Context, server string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error)
	// ElicitURL asks the user to open a page. It must show the whole URL and get
	// consent before anything opens it (R199, R200).
	ElicitURL func(ctx context.Context, server string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error)
	// CreateMessage asks a model (sampling). Deprecated in 2026-07-28.
	CreateMessage func(ctx context.Context, server string, request *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error)
	// SamplingTools announces that CreateMessage understands tools (R179); else
	// requests with tools are refused (R181).
	SamplingTools bool
	// ListRoots tells the server which folders it may know of. Deprecated in
	// 2026-07-28.
	ListRoots func(ctx context.Context, server string) ([]mcp.Root, error)
	// OfferDeprecated announces sampling and roots to modern servers as well.
	OfferDeprecated bool
	// Requests serve methods of extensions, legacy era only, by method. The
	// result is anything that encodes to a JSON object.
	Requests map[string]func(ctx context.Context, server string, params json.RawMessage) (any, error)
	// Extensions are announced, by id, with their settings objects.
	Extensions map[string]json.RawMessage
	// Cancelled replaces what happens when the server cancels a request it made:
	// by default the handler's ctx ends and its answer is not sent (R124).
	Cancelled func(server string, id mcp.ID, reason string)
	// Notification sees every notification of the server that belongs to no
	// request and no subscription, one at a time, in order. If it falls behind
	// by more than 1,024 messages, further ones are dropped and counted in the
	// log.
	Notification func(server string, message mcp.Message)
}

// noHandlers serve nothing. It is never changed.
var noHandlers Handlers

// WithHandlers sets what serves the server's requests.
func WithHandlers(handlers Handlers) Option {
	return func(s *Session) { s.handlers = &handlers }
}

// capabilities encodes what is announced in an era.
func (h *Handlers) capabilities(e mcp.Era) json.RawMessage {
	announced := mcp.ClientCapabilities{Extensions: h.Extensions}
	if h.ElicitForm != nil || h.ElicitURL != nil {
		announced.Elicitation = &mcp.ElicitationCapability{}
		if h.ElicitForm != nil {
			announced.Elicitation.Form = &struct{}{}
		}
		if h.ElicitURL != nil {
			announced.Elicitation.URL = &struct{}{}
		}
	}
	if e == mcp.EraLegacy || h.OfferDeprecated {
		if h.CreateMessage != nil {
			announced.Sampling = &mcp.SamplingCapability{}
			if h.SamplingTools {
				announced.Sampling.Tools = &struct{}{}
			}
		}
		if h.ListRoots != nil {
			announced.Roots = &mcp.ListCapability{ListChanged: e == mcp.EraLegacy}
		}
	}
	encoded, err := json.Marshal(announced)
	if err != nil {
		return json.RawMessage("{}") // only reachable with settings that are not JSON
	}
	return encoded
}

// isAny reports whether anything is there that a server can reach.
func (h *Handlers) isAny() bool { return h.canBeAsked() || h.Notification != nil }

// canBeAsked reports whether a server can make a request that is served.
func (h *Handlers) canBeAsked() bool {
	return h.ElicitForm != nil || h.ElicitURL != nil || h.CreateMessage != nil || h.ListRoots != nil || len(h.Requests) > 0
}

// serves reports whether a request of this kind can be answered in the era, as
// announced (R058, R216).
func (h *Handlers) serves(method string, params json.RawMessage, e mcp.Era) bool {
	deprecated := e == mcp.EraLegacy || h.OfferDeprecated
	switch method {
	case mcp.MethodElicit:
		request, err := mcp.ParseElicitRequest(params)
		return err != nil && (h.ElicitForm != nil || h.ElicitURL != nil) || err == nil && h.elicitation(request.Mode) != nil
	case mcp.MethodCreateMessage:
		return h.CreateMessage != nil && deprecated
	case mcp.MethodListRoots:
		return h.ListRoots != nil && deprecated
	default:
		return e == mcp.EraLegacy && h.Requests[method] != nil
	}
}

func (h *Handlers) elicitation(mode string) func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	switch mode {
	case mcp.ElicitModeForm:
		return h.ElicitForm
	case mcp.ElicitModeURL:
		return h.ElicitURL
	default:
		return nil
	}
}

// handle runs the handler of a request and returns the encoded result. A
// *mcp.Error is for the server; any other error is ours and not shown to it.
func (h *Handlers) handle(ctx context.Context, server, method string, params json.RawMessage) (result json.RawMessage, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			result, err = nil, fmt.Errorf("the handler of %s panicked: %v\n%s", method, cause, debug.Stack())
		}
	}()
	var answer any
	switch method {
	case mcp.MethodElicit:
		answer, err = h.elicit(ctx, server, params)
	case mcp.MethodCreateMessage:
		answer, err = h.createMessage(ctx, server, params)
	case mcp.MethodListRoots:
		answer, err = h.listRoots(ctx, server)
	default:
		serve := h.Requests[method]
		if serve == nil {
			return nil, notServed(method)
		}
		answer, err = serve(ctx, server, params)
	}
	if err != nil {
		return nil, err
	}
	return encodeObject(method, answer)
}

func notServed(method string) *mcp.Error {
	return &mcp.Error{Code: mcp.CodeMethodNotFound, Message: "this client does not serve " + errors.PeerText(method, 100)}
}

func encodeObject(method string, answer any) (json.RawMessage, error) {
	encoded, err := mcp.ParamsOf(answer)
	if err != nil {
		return nil, fmt.Errorf("the handler of %s returned what is no JSON object: %w", method, err)
	}
	return encoded.Raw(), nil
}

func (h *Handlers) elicit(ctx context.Context, server string, params json.RawMessage) (any, error) {
	request, err := mcp.ParseElicitRequest(params)
	if err != nil {
		return nil, &mcp.Error{Code: mcp.CodeInvalidParams, Message: err.Error()}
	}
	ask := h.elicitation(request.Mode)
	if ask == nil {
		return nil, &mcp.Error{Code: mcp.CodeInvalidParams, Message: "elicitation mode " + errors.PeerText(request.Mode, 40) + " was not announced"} // R194
	}
	answer, err := ask(ctx, server, request)
	switch {
	case err != nil:
		return nil, err
	case answer == nil:
		return nil, errors.New("the elicitation handler returned neither an answer nor an error")
	case answer.Action != mcp.ElicitAccept:
		return mcp.ElicitResult{Action: answer.Action, Meta: answer.Meta}, checkElicitAction(answer.Action)
	case request.Mode == mcp.ElicitModeURL:
		return mcp.ElicitResult{Action: answer.Action, Meta: answer.Meta}, nil // R198
	}
	content, err := answer.RawContent()
	if err != nil {
		return nil, err
	}
	if content, err = mcp.ApplyDefaults(request.RequestedSchema, content); err != nil {
		return nil, err
	}
	if err := mcp.ValidateContent(request.RequestedSchema, content); err != nil {
		return nil, fmt.Errorf("the elicitation handler's content does not fit the requested schema: %w", err)
	}
	return mcp.ElicitResult{Action: answer.Action, Content: content, Meta: answer.Meta}, nil
}

func checkElicitAction(action string) error {
	if action == mcp.ElicitDecline || action == mcp.ElicitCancel {
		return nil
	}
	return fmt.Errorf("the elicitation handler returned the action %q; allowed: accept, decline, cancel", action)
}

func (h *Handlers) createMessage(ctx context.Context, server string, params json.RawMessage) (any, error) {
	if h.CreateMessage == nil {
		return nil, notServed(mcp.MethodCreateMessage)
	}
	request, err := mcp.ParseCreateMessageRequest(params)
	if err != nil {
		return nil, &mcp.Error{Code: mcp.CodeInvalidParams, Message: err.Error()}
	}
	if !h.SamplingTools && (len(request.Tools) > 0 || request.ToolChoice != nil) {
		return nil, &mcp.Error{Code: mcp.CodeInvalidParams, Message: "sampling with tools was not announced"} // R181
	}
	answer, err := h.CreateMessage(ctx, server, request)
	if err == nil && answer == nil {
		err = errors.New("the sampling handler returned neither a message nor an error")
	}
	return answer, err
}

func (h *Handlers) listRoots(ctx context.Context, server string) (any, error) {
	if h.ListRoots == nil {
		return nil, notServed(mcp.MethodListRoots)
	}
	roots, err := h.ListRoots(ctx, server)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if err := root.Validate(); err != nil {
			return nil, err
		}
	}
	return mcp.ListRootsResult{Roots: roots}, nil
}
