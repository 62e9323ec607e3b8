package config

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"

	yamlnode "go.yaml.in/yaml/v3"
)

func writeYAML(root *node) ([]byte, error) {
	tree, err := yamlTree(root, "")
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	encoder := yamlnode.NewEncoder(&written)
	encoder.SetIndent(2)
	if err := encoder.Encode(tree); err != nil {
		return nil, fmt.Errorf("cannot write YAML: %w", err)
	}
	return written.Bytes(), encoder.Close()
}

func yamlTree(n *node, path string) (*yamlnode.Node, error) {
	switch n.kind {
	case kindMap:
		tree := &yamlnode.Node{Kind: yamlnode.MappingNode}
		for _, key := range n.keys {
			field, err := yamlTree(n.fields[key], joinKey(path, key))
			if err != nil {
				return nil, err
			}
			tree.Content = append(tree.Content, yamlText(key), field)
		}
		return tree, nil
	case kindList:
		tree := &yamlnode.Node{Kind: yamlnode.SequenceNode}
		for i, item := range n.items {
			element, err := yamlTree(item, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, err
			}
			tree.Content = append(tree.Content, element)
		}
		return tree, nil
	case kindNull:
		return yamlPlain("null"), nil
	case kindBool:
		return yamlPlain(n.text), nil // True as well as true: as a text they differ
	case kindNumber:
		return yamlPlain(yamlNumber(n)), nil
	case kindText:
		if !utf8.ValidString(n.text) {
			return nil, cannotWrite(n, path, "it is not UTF-8")
		}
		return yamlText(n.text), nil
	default:
		return nil, cannotWrite(n, path, goValue(n))
	}
}

func yamlPlain(text string) *yamlnode.Node {
	return &yamlnode.Node{Kind: yamlnode.ScalarNode, Value: text}
}

// yamlText is a string, which the encoder puts in quotes where it would be read as
// something else.
func yamlText(text string) *yamlnode.Node {
	quoted := &yamlnode.Node{Kind: yamlnode.ScalarNode, Tag: "!!str", Value: text}
	for _, c := range text {
		if c < ' ' && c != '\n' || c == 0x7f {
			quoted.Style = yamlnode.DoubleQuotedStyle // a block would keep no \r and no blanks at its begin
		}
	}
	if len(text) > 0 && (text[0] == ' ' || text[0] == '\n' || text[len(text)-1] == ' ') {
		quoted.Style = yamlnode.DoubleQuotedStyle
	}
	return quoted
}

// yamlNumber is the number as written, if YAML reads it as a number.
func yamlNumber(n *node) string {
	var value any
	if err := yamlPlain(n.text).Decode(&value); err == nil {
		switch value.(type) {
		case int, int64, uint64, float64:
			return n.text
		}
	}
	if float, ok := n.value.(float64); ok {
		switch {
		case math.IsInf(float, 1):
			return ".inf"
		case math.IsInf(float, -1):
			return "-.inf"
		case math.IsNaN(float):
			return ".nan"
		}
	}
	return formatNumber(n.value)
}
