package httplink

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	// errorBodyBytes is how much of an unusable body is read to tell of it, and
	// to look for a JSON-RPC answer in it unless it says that it is JSON;
	// replyBodyBytes is how much of it a Reply carries.
	errorBodyBytes = 64 << 10
	replyBodyBytes = 4 << 10
)

// mediaType is what the Content-Type header comes to.
type mediaType uint8

const (
	mediaOther mediaType = iota
	mediaJSON
	mediaStream
)

// mediaTypeOf reads the Content-Type header, ignoring case and parameters
// (P10). The usual spellings cost nothing.
func mediaTypeOf(header http.Header) mediaType {
	text := header.Get("Content-Type")
	switch text {
	case "application/json", "application/json; charset=utf-8":
		return mediaJSON
	case "text/event-stream", "text/event-stream; charset=utf-8":
		return mediaStream
	}
	name, _, err := mime.ParseMediaType(text)
	if err != nil { // broken parameters do not make another type of it
		name, _, _ = strings.Cut(text, ";")
		name = strings.ToLower(strings.TrimSpace(name))
	}
	switch {
	case name == "application/json", strings.HasPrefix(name, "application/") && strings.HasSuffix(name, "+json"):
		return mediaJSON
	case name == "text/event-stream":
		return mediaStream
	default:
		return mediaOther
	}
}

// receive reads the answer by its status and type (R074, H5, H19, P10).
func (l *Link) receive(x *exchange, response *http.Response, c conversation) (transporters.Reply, error) {
	media := mediaTypeOf(response.Header)
	x.stall = l.stallLimit(x, &c, media)
	if !isSuccess(response.StatusCode) || isEmptySuccess(response.StatusCode) {
		return l.receiveStatus(x, response, media, c)
	}
	var message mcp.Message
	var err error
	switch media {
	case mediaJSON:
		message, err = l.receiveJSON(x, response, c)
	case mediaStream:
		message, err = l.receiveStream(x, c)
	default:
		err = l.foreignError(x, response)
	}
	if err != nil {
		return transporters.Reply{}, err
	}
	return transporters.Reply{Message: l.hideSecrets(x.values, message), Status: response.StatusCode, Header: response.Header}, nil
}

// isEmptySuccess: such a status says that there is no answer (H19).
func isEmptySuccess(status int) bool {
	return status == http.StatusAccepted || status == http.StatusNoContent || status == http.StatusResetContent
}

// receiveJSON reads a buffered answer.
func (l *Link) receiveJSON(x *exchange, response *http.Response, c conversation) (mcp.Message, error) {
	body, err := l.readBody(x, response.ContentLength)
	if err != nil {
		return mcp.Message{}, err
	}
	body = bytes.TrimPrefix(body, byteOrderMark)
	message, err := l.scan(c.out.Method, body)
	switch {
	case err == nil:
		if !c.isAnswer(&message) {
			c.give(message)
			return mcp.Message{}, l.bodyError(x, response, body, errors.ErrProtocol, "the body is not the answer to this request")
		}
		return message, nil
	case errors.Is(err, jsonrpc.ErrBatch) && l.batches.Load():
		return l.receiveBatch(x, response, body, c)
	case errors.Is(err, jsonrpc.ErrBatch):
		return mcp.Message{}, l.bodyError(x, response, body, errors.ErrProtocol, "the body is a batch, which only 2025-03-26 knows")
	case errors.Is(err, jsonrpc.ErrEnvelope):
		return mcp.Message{}, l.bodyError(x, response, body, errors.ErrProtocol, errors.PeerText(err.Error(), 200))
	case len(body) == 0:
		return mcp.Message{}, l.bodyError(x, response, body, errors.ErrNotMCP, "the body is empty")
	default:
		return mcp.Message{}, l.bodyError(x, response, body, errors.ErrNotMCP, "the body is not JSON: "+errors.PeerText(err.Error(), 200))
	}
}

// receiveBatch reads what a server of 2025-03-26 may send (R018).
func (l *Link) receiveBatch(x *exchange, response *http.Response, body []byte, c conversation) (mcp.Message, error) {
	messages, err := l.scanBatch(c.out.Method, body)
	if err != nil {
		text := errors.PeerText(err.Error(), 200)
		l.log.Warn("a part of a batch is unreadable", "server", l.server, "fault", text)
		l.report("a part of a batch is unreadable: " + text)
	}
	var answer mcp.Message
	for _, message := range messages {
		if answer.IsZero() && c.isAnswer(&message) {
			answer = message
			continue
		}
		c.give(message)
	}
	if answer.IsZero() {
		return mcp.Message{}, l.bodyError(x, response, body, errors.ErrProtocol, "the batch has no answer to this request")
	}
	return answer, nil
}

// receiveStatus reads what comes with a status that is no answer by itself. The
// body may still hold one: a JSON-RPC answer to this very request, or an error
// without id, which over HTTP belongs to the POST it answers (P20). A
// body that breaks off or is too long does not hide the status. One that is JSON
// may be as long as any other answer.
func (l *Link) receiveStatus(x *exchange, response *http.Response, media mediaType, c conversation) (transporters.Reply, error) {
	reply := transporters.Reply{Status: response.StatusCode, Header: l.safeHeader(x.values, response)}
	if media == mediaStream {
		return reply, nil
	}
	limit := int64(errorBodyBytes)
	if media == mediaJSON && response.ContentLength <= l.maxBytes {
		limit = max(limit, l.maxBytes)
	}
	body, err := l.readErrorBody(x, limit)
	if err != nil {
		return transporters.Reply{}, err
	}
	if message, err := l.scan(c.out.Method, body); err == nil && c.isAnswer(&message) {
		reply.Message = l.hideSecrets(x.values, message)
		return reply, nil
	}
	body = l.plainBody(x.values, body)
	reply.Body = body[:min(len(body), replyBodyBytes)]
	return reply, nil
}

// foreignError is what a 2xx answer of an unknown type comes to: a web page, as
// a rule (H5).
func (l *Link) foreignError(x *exchange, response *http.Response) error {
	body, err := l.readErrorBody(x, errorBodyBytes)
	if err != nil {
		return err
	}
	given := response.Header.Get("Content-Type")
	text := fmt.Sprintf("the answer has the type %q, not application/json or text/event-stream", l.peerText(x, given, 100))
	switch {
	case len(body) == 0:
		text = "the answer is empty"
	case given == "":
		text = "the answer has no Content-Type"
	}
	return l.bodyError(x, response, body, errors.ErrNotMCP, text)
}
