package mcptest

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Matcher judges the params of a request. Params, ParamsWith and ParamsFunc
// make one.
type Matcher struct {
	description string
	mismatch    func(params json.RawMessage) string
}

// Params matches params that equal the given JSON value, which is JSON text (a
// string, []byte or json.RawMessage) or anything that encodes to it. Members may
// stand in any order and numbers compare as written, every digit. _meta is left
// out of the comparison unless the value has one. Absent params, nil here, equal
// the empty object.
func Params(value any) Matcher {
	raw := rawJSON(value)
	want := decodeParams(raw)
	return Matcher{
		description: "params " + string(raw),
		mismatch: func(params json.RawMessage) string {
			got := decodeParams(params)
			if object, ok := want.(map[string]any); ok && object["_meta"] == nil {
				got = withoutMeta(got)
			}
			c := comparison{}
			c.compare("params", want, got)
			return c.text()
		},
	}
}

// ParamsWith matches params that contain the given JSON object: every member of
// it is there with the same value, at every depth; more members may be.
func ParamsWith(value any) Matcher {
	raw := rawJSON(value)
	want := decode(raw)
	return Matcher{
		description: "params with " + string(raw),
		mismatch: func(params json.RawMessage) string {
			c := comparison{subset: true}
			c.compare("params", want, decode(params))
			return c.text()
		},
	}
}

// ParamsFunc matches params for which the function returns true; the
// description is used in failures.
func ParamsFunc(description string, matches func(params []byte) bool) Matcher {
	return Matcher{
		description: description,
		mismatch: func(params json.RawMessage) string {
			if matches(params) {
				return ""
			}
			return "not so: " + description
		},
	}
}

// mismatchOf returns why the first matcher that does not match does not, or "".
func mismatchOf(matchers []Matcher, params json.RawMessage) string {
	for _, matcher := range matchers {
		if why := matcher.mismatch(params); why != "" {
			return why
		}
	}
	return ""
}

func describe(matchers []Matcher) string {
	texts := make([]string, len(matchers))
	for i, matcher := range matchers {
		texts[i] = matcher.description
	}
	return strings.Join(texts, " and ")
}

// decode keeps numbers as written; absent and unreadable JSON become nil.
func decode(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// decodeParams is decode, with absent params as the empty object.
func decodeParams(raw json.RawMessage) any {
	if len(raw) == 0 {
		return map[string]any{}
	}
	return decode(raw)
}

func withoutMeta(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	delete(object, "_meta")
	return object
}
