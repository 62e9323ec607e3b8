package mcp

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// encode returns value as JSON on one line, in memory that nobody else holds.
// json.RawMessage and []byte are taken for JSON and copied; everything else is
// encoded as encoding/json does, but without escaping < > &.
func encode(value any) ([]byte, error) { return appendEncoded(nil, value) }

// appendEncoded appends what encode returns.
func appendEncoded(dst []byte, value any) ([]byte, error) {
	var data []byte
	var err error
	switch v := value.(type) {
	case json.RawMessage:
		data, err = encodeRaw(v)
	case []byte:
		data, err = encodeRaw(v)
	default:
		if plain, ok := appendPlain(dst, value, 0); ok {
			return plain, nil
		}
		data, err = encodeReflected(value)
	}
	if err != nil || dst == nil {
		return data, err
	}
	return append(dst, data...), nil
}

// encodeReflected encodes what appendPlain does not know.
func encodeReflected(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	data := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	// A json.RawMessage inside the value may hold what encoding/json lets pass:
	// bytes that are not UTF-8, or nesting without end.
	if err := jsonscan.Check(data); err != nil {
		return nil, err
	}
	return data, nil
}

// encodeRaw copies JSON text; an empty one stands for null.
func encodeRaw(raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("null"), nil
	}
	if err := jsonscan.Check(raw); err != nil {
		return nil, err
	}
	raw = bytes.Trim(raw, " \t\r\n")
	if !jsonscan.HasRawNewline(raw) {
		return bytes.Clone(raw), nil
	}
	var buffer bytes.Buffer
	if err := json.Compact(&buffer, raw); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// plainDepth is how deep appendPlain follows a value before it leaves the rest,
// endless ones included, to encoding/json.
const plainDepth = 32

// appendPlain appends values of the types that arguments are mostly made of,
// without reflection, in the form that encoding/json gives them: map keys
// sorted. It returns false for everything else.
func appendPlain(dst []byte, value any, depth int) ([]byte, bool) {
	if depth > plainDepth {
		return dst, false
	}
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case string:
		return jsonscan.AppendString(dst, v), true
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case uint64:
		return strconv.AppendUint(dst, v, 10), true
	case float64:
		return appendFloat(dst, v)
	case map[string]any:
		return appendMap(dst, v, depth)
	case map[string]string:
		return appendMap(dst, v, depth)
	case []any:
		return appendSlice(dst, v, depth)
	case []string:
		return appendSlice(dst, v, depth)
	default:
		return dst, false
	}
}

// appendFloat leaves very large and very small numbers, and those that JSON
// does not have, to encoding/json.
func appendFloat(dst []byte, f float64) ([]byte, bool) {
	size := math.Abs(f)
	if size != 0 && !(1e-6 <= size && size < 1e21) {
		return dst, false
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64), true
}

func appendMap[V any](dst []byte, members map[string]V, depth int) ([]byte, bool) {
	if members == nil {
		return append(dst, "null"...), true
	}
	var few [16]string // most maps are small: their keys need no memory
	keys := few[:0]
	for key := range members {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonscan.AppendString(dst, key)
		dst = append(dst, ':')
		var ok bool
		if dst, ok = appendPlain(dst, members[key], depth+1); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

func appendSlice[V any](dst []byte, elements []V, depth int) ([]byte, bool) {
	if elements == nil {
		return append(dst, "null"...), true
	}
	dst = append(dst, '[')
	for i, element := range elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = appendPlain(dst, element, depth+1); !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}

// kindByte returns the first byte of a JSON value, as Cursor.Kind does.
func kindByte(raw []byte) byte {
	cursor := jsonscan.TrustedCursor(raw)
	return cursor.Kind()
}

// kindOf names the kind of a JSON value for error texts.
func kindOf(raw []byte) string {
	if name := jsonscan.KindName(kindByte(raw)); name != "" {
		return name
	}
	return "no JSON value"
}
