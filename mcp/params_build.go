package mcp

import (
	"fmt"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// CallToolParams returns the params of tools/call. arguments are encoded once:
// nil, and JSON null, give an empty object; json.RawMessage and []byte are
// taken for JSON; the rest is encoded by encoding/json. The error wraps
// ErrInvalidParams and says what is wrong with the arguments: that they do not
// encode, are no object, or have a member twice.
func CallToolParams(name string, arguments any) (*Params, error) {
	// One allocation holds the params and, where they are small, their text.
	held := &struct {
		Params
		room [192]byte
	}{}
	raw := append(held.room[:0], `{"name":`...)
	raw = jsonscan.AppendString(raw, name)
	raw = append(raw, `,"arguments":`...)
	start := len(raw)
	raw, err := appendEncoded(raw, arguments)
	if err != nil {
		return nil, fmt.Errorf("%w: arguments of tool %q do not encode: %w", errors.ErrInvalidParams, shortened(name), err)
	}
	switch encoded := raw[start:]; kindByte(encoded) {
	case '{':
		if !hasDistinctNames(arguments) {
			if err := refuseDuplicates("params.arguments", encoded); err != nil {
				return nil, err
			}
		}
	case 'n':
		raw = append(raw[:start], "{}"...)
	default:
		return nil, fmt.Errorf("%w: arguments of tool %q must be a JSON object, found %s",
			errors.ErrInvalidParams, shortened(name), kindOf(encoded))
	}
	end := len(raw)
	raw = append(raw, '}')
	held.Params = Params{raw: raw, rest: raw, arguments: raw[start:end:end], name: name}
	return &held.Params, nil
}

// hasDistinctNames reports at little cost that the object which arguments encode to
// has no member twice. The keys of a map differ; only what is no UTF-8 may become the
// same when it is encoded.
func hasDistinctNames(arguments any) bool {
	switch members := arguments.(type) {
	case map[string]any:
		return areDistinct(members)
	case map[string]string:
		return areDistinct(members)
	default:
		return false
	}
}

func areDistinct[V any](members map[string]V) bool {
	if len(members) <= 1 {
		return true
	}
	for name := range members {
		if !utf8.ValidString(name) {
			return false
		}
	}
	return true
}

// NameParams returns the params of prompts/get: a name and, unless there are
// none, its arguments, which are strings (R164).
func NameParams(name string, arguments map[string]string) *Params {
	raw := jsonscan.AppendString([]byte(`{"name":`), name)
	if len(arguments) == 0 {
		return known(append(raw, '}'))
	}
	raw = append(raw, `,"arguments":`...)
	raw, _ = appendPlain(raw, arguments, 0) // a map of strings always encodes
	return known(append(raw, '}'))
}

// URIParams returns the params of resources/read, resources/subscribe and
// resources/unsubscribe.
func URIParams(uri string) *Params {
	return known(append(jsonscan.AppendString([]byte(`{"uri":`), uri), '}'))
}

// CursorParams returns the params of a list request: empty for nil, which asks
// for the first page. The empty string is a cursor like any other (R141).
func CursorParams(cursor *string) *Params {
	if cursor == nil {
		return emptyParams()
	}
	return known(append(jsonscan.AppendString([]byte(`{"cursor":`), *cursor), '}'))
}

// TaskParams returns the params of tasks/get, tasks/cancel and tasks/result.
func TaskParams(taskID string) *Params {
	return known(append(jsonscan.AppendString([]byte(`{"taskId":`), taskID), '}'))
}

// known scans an object that this file wrote.
func known(raw []byte) *Params {
	p, err := scanParams(raw)
	if err != nil {
		panic("mcp: built malformed params: " + err.Error())
	}
	return p
}
