package config

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
)

func writeJSON(root *node) ([]byte, error) {
	var compact, indented bytes.Buffer
	if err := appendJSON(&compact, root, ""); err != nil {
		return nil, err
	}
	if err := stdjson.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return nil, fmt.Errorf("cannot write JSON: %w", err)
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

// appendJSON keeps the order of keys, which the encoder of the standard library
// does not.
func appendJSON(into *bytes.Buffer, n *node, path string) error {
	switch n.kind {
	case kindMap:
		into.WriteByte('{')
		for i, key := range n.keys {
			if i > 0 {
				into.WriteByte(',')
			}
			into.WriteString(jsonText(key))
			into.WriteByte(':')
			if err := appendJSON(into, n.fields[key], joinKey(path, key)); err != nil {
				return err
			}
		}
		into.WriteByte('}')
	case kindList:
		into.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				into.WriteByte(',')
			}
			if err := appendJSON(into, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		into.WriteByte(']')
	case kindNull:
		into.WriteString("null")
	case kindBool:
		fmt.Fprint(into, n.value)
	case kindNumber:
		into.WriteString(jsonNumber(n))
	case kindText:
		into.WriteString(jsonText(n.text))
	default:
		return cannotWrite(n, path, goValue(n))
	}
	return nil
}

func jsonText(text string) string {
	var written bytes.Buffer
	encoder := stdjson.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always can be
	return string(bytes.TrimSpace(written.Bytes()))
}

// jsonNumber is the number as written, if that is JSON, else another spelling of it,
// else a string, which passes for a number.
func jsonNumber(n *node) string {
	for _, text := range []string{n.text, formatNumber(n.value)} {
		if hasLeadingZero(n.text) {
			break
		}
		if stdjson.Valid([]byte(text)) {
			return text
		}
	}
	return jsonText(n.text)
}
