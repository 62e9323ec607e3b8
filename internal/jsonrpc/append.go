package jsonrpc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const head = `{"jsonrpc":"2.0",`

// framing is more than what a request has beyond its parts: member names, id,
// progress token.
const framing = 120

// AppendRequest appends a request on one line, without a newline. The id is
// written as a string if stringID is set, else as a number. meta holds encoded
// members of _meta without braces, and may be empty (see
// mcp.Params.AppendObject); a token other than 0 adds "progressToken" to them.
// params may be nil. "params" is left out if nothing would be in it.
func AppendRequest(dst []byte, id uint64, stringID bool, method string, params *mcp.Params, meta []byte, token uint64) []byte {
	dst = slices.Grow(dst, len(head)+len(method)+params.Len()+len(meta)+framing)
	dst = append(dst, head+`"id":`...)
	if stringID {
		dst = append(dst, '"')
	}
	dst = strconv.AppendUint(dst, id, 10)
	if stringID {
		dst = append(dst, '"')
	}
	dst = append(dst, `,"method":`...)
	dst = jsonscan.AppendString(dst, method)
	if token == 0 {
		return appendParams(dst, params, meta)
	}
	var scratch [1024]byte // the usual _meta fits: no allocation
	withToken := append(scratch[:0], `"`+mcp.MetaProgressToken+`":`...)
	withToken = strconv.AppendUint(withToken, token, 10)
	if len(meta) > 0 {
		withToken = append(withToken, ',')
		withToken = append(withToken, meta...)
	}
	return appendParams(dst, params, withToken)
}

// AppendNotification appends a notification, as AppendRequest does a request.
func AppendNotification(dst []byte, method string, params *mcp.Params, meta []byte) []byte {
	dst = append(dst, head+`"method":`...)
	dst = jsonscan.AppendString(dst, method)
	return appendParams(dst, params, meta)
}

func appendParams(dst []byte, params *mcp.Params, meta []byte) []byte {
	if params.IsZero() && len(meta) == 0 {
		return append(dst, '}')
	}
	dst = append(dst, `,"params":`...)
	dst = params.AppendObject(dst, meta)
	return append(dst, '}')
}

// AppendResult appends the answer to a server's request (R008). An empty result
// is written as {}. If result is not valid JSON, an internal error is answered
// instead: the peer's request must not stay open.
func AppendResult(dst []byte, id mcp.ID, result []byte) []byte {
	if len(result) == 0 {
		result = []byte("{}")
	}
	if jsonscan.Check(result) != nil {
		return AppendError(dst, id, &mcp.Error{Code: mcp.CodeInternalError, Message: "result could not be encoded"})
	}
	dst = appendAnswerHead(dst, id)
	dst = append(dst, `"result":`...)
	dst = appendOneLine(dst, result)
	return append(dst, '}')
}

// AppendError appends an error answer to a server's request (R008). Data that
// is not valid JSON is left out. A nil failure is an internal error.
func AppendError(dst []byte, id mcp.ID, failure *mcp.Error) []byte {
	if failure == nil {
		failure = &mcp.Error{Code: mcp.CodeInternalError, Message: "internal error"}
	}
	dst = appendAnswerHead(dst, id)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(failure.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = jsonscan.AppendString(dst, failure.Message)
	if len(failure.Data) > 0 && jsonscan.Valid(failure.Data) {
		dst = append(dst, `,"data":`...)
		dst = appendOneLine(dst, failure.Data)
	}
	return append(dst, `}}`...)
}

// appendAnswerHead repeats the id byte for byte; an absent one is null.
func appendAnswerHead(dst []byte, id mcp.ID) []byte {
	dst = append(dst, head+`"id":`...)
	if id.IsZero() {
		dst = append(dst, "null"...)
	}
	dst = append(dst, id...)
	return append(dst, ',')
}

// appendOneLine appends valid JSON, compacted if it has newlines.
func appendOneLine(dst, text []byte) []byte {
	if !jsonscan.HasRawNewline(text) {
		return append(dst, text...)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil {
		return append(dst, "null"...) // cannot be: the text is valid
	}
	return append(dst, compact.Bytes()...)
}
