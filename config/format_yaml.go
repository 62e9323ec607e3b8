package config

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	yamlnode "go.yaml.in/yaml/v3"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The values of a YAML file come from koanf's parser; the tree of nodes gives
// positions and spelling. The walk follows aliases and merge keys as the decoder
// does: a map's own keys win, of several merged maps the first one does.

func parseYAML(at *positions) (map[string]any, *place, error) {
	if mayHold(at.data, "\n,[{:-?") > mostValues {
		return nil, nil, tooMany(at)
	}
	root, err := decodeYAMLNode(at)
	if err != nil || root == nil {
		return nil, newMapPlace(at.line(1, 1)), err
	}
	if err := checkYAMLKeys(at, root); err != nil {
		return nil, nil, err
	}
	// The decoder also refuses aliases that contain themselves or multiply
	// beyond reason, so the walk below, which follows them, is bounded.
	values, err := yaml.Parser().Unmarshal(at.data)
	if err != nil {
		return nil, nil, yamlFailure(at, err)
	}
	places, err := walkYAML(at, root, at.line(1, 1), 0)
	return values, places, err
}

// decodeYAMLNode returns the top-level map, or nil for an empty file.
func decodeYAMLNode(at *positions) (*yamlnode.Node, error) {
	decoder := yamlnode.NewDecoder(bytes.NewReader(at.data))
	var document, second yamlnode.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, yamlFailure(at, err)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, failure(at.line(second.Line, second.Column), "a second YAML document begins; a file is one document")
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlFailure(at, err)
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	root := document.Content[0]
	switch {
	case root.Kind == yamlnode.ScalarNode && root.ShortTag() == "!!null":
		return nil, nil
	case root.Kind != yamlnode.MappingNode:
		return nil, notAMap(at.line(root.Line, root.Column))
	}
	return root, nil
}

// checkYAMLKeys refuses keys that are given twice, and keys that YAML does not
// read as the text that is written, throughout the tree and its anchors. How deep
// they are is found by the walk.
func checkYAMLKeys(at *positions, node *yamlnode.Node) error {
	if node.Kind == yamlnode.ScalarNode && node.Style&yamlnode.TaggedStyle != 0 {
		return checkYAMLTag(at, node)
	}
	if node.Kind != yamlnode.MappingNode {
		for _, item := range node.Content {
			if err := checkYAMLKeys(at, item); err != nil {
				return err
			}
		}
		return nil
	}
	seen := map[string]Origin{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		origin := at.line(key.Line, key.Column)
		name, err := yamlKey(key, origin)
		if err != nil {
			return err
		}
		if first, twice := seen[name]; twice {
			return duplicateKey(name, origin, first)
		}
		seen[name] = origin
		if err := checkYAMLKeys(at, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// checkYAMLTag refuses a value that is not what its tag says: the decoder's error
// would have no line.
func checkYAMLTag(at *positions, node *yamlnode.Node) error {
	var value any
	if err := node.Decode(&value); err == nil {
		return nil
	}
	return failureAllowing(at.line(node.Line, node.Column), "a value is not of the type that its tag names", "the value without the tag")
}

// yamlKey returns the text of a key. A key such as 010 or ~ would come out of the
// decoder as something else than what is written.
func yamlKey(key *yamlnode.Node, origin Origin) (string, error) {
	if key.Kind == yamlnode.AliasNode {
		key = key.Alias
	}
	if key.Kind != yamlnode.ScalarNode {
		return "", failure(origin, "a key must be a string")
	}
	if tag := key.ShortTag(); tag == "!!str" || tag == "!!merge" {
		return key.Value, nil
	}
	var value any
	if err := key.Decode(&value); err != nil || fmt.Sprint(value) != key.Value {
		return "", failureAllowing(origin, "YAML does not read the key "+shownKey(key.Value)+" as a string", "the key in quotes")
	}
	return key.Value, nil
}

// walkYAML builds the place of node; origin is the position of its key.
func walkYAML(at *positions, node *yamlnode.Node, origin Origin, depth int) (*place, error) {
	if depth > deepest {
		return nil, tooDeep(origin)
	}
	switch node.Kind {
	case yamlnode.AliasNode:
		return walkYAML(at, node.Alias, origin, depth+1)
	case yamlnode.MappingNode:
		return walkYAMLMap(at, node, origin, depth)
	case yamlnode.SequenceNode:
		list := &place{origin: origin}
		for _, child := range node.Content {
			item, err := walkYAML(at, child, at.line(child.Line, child.Column), depth+1)
			if err != nil {
				return nil, err
			}
			list.items = append(list.items, item)
		}
		return list, nil
	default:
		return &place{origin: origin, written: node.Value}, nil
	}
}

func walkYAMLMap(at *positions, node *yamlnode.Node, origin Origin, depth int) (*place, error) {
	result := newMapPlace(origin)
	var merged *yamlnode.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if isYAMLMerge(key) {
			merged = node.Content[i+1]
			continue
		}
		keyOrigin := at.line(key.Line, key.Column)
		name, err := yamlKey(key, keyOrigin)
		if err != nil {
			return nil, err
		}
		field, err := walkYAML(at, node.Content[i+1], keyOrigin, depth+1)
		if err != nil {
			return nil, err
		}
		result.set(name, field)
	}
	if merged == nil {
		return result, nil
	}
	return result, mergeYAML(at, result, merged, depth)
}

// mergeYAML adds the keys of the map, or maps, that a merge key names.
func mergeYAML(at *positions, into *place, merged *yamlnode.Node, depth int) error {
	sources := []*yamlnode.Node{merged}
	if merged.Kind == yamlnode.SequenceNode {
		sources = merged.Content
	}
	for _, from := range sources {
		fields, err := walkYAML(at, from, at.line(from.Line, from.Column), depth+1)
		if err != nil {
			return err
		}
		for _, key := range fields.keys {
			if _, own := into.fields[key]; !own {
				into.set(key, fields.fields[key])
			}
		}
	}
	return nil
}

func isYAMLMerge(key *yamlnode.Node) bool {
	return key.Kind == yamlnode.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

// yamlFailure takes the line out of the library's message, which has no column.
func yamlFailure(at *positions, err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	message = strings.TrimSpace(strings.TrimPrefix(message, "unmarshal errors:"))
	message, _, _ = strings.Cut(message, "\n")
	line := 0
	if numbered, found := strings.CutPrefix(message, "line "); found {
		number, rest, _ := strings.Cut(numbered, ": ")
		if parsed, err := strconv.Atoi(number); err == nil {
			line, message = parsed, rest
		}
	}
	if isYAMLGrammar(message) {
		line = min(line+1, len(at.lines))
	}
	if anchor, found := quotedAnchor(message, "unknown anchor '", "' referenced"); found {
		line, message = lineOf(at, "*"+anchor), "an alias refers to an anchor that does not stand before it"
	} else if anchor, found := quotedAnchor(message, "anchor '", "' value contains itself"); found {
		line, message = lineOf(at, "&"+anchor), "the value of an anchor contains itself"
	}
	allowed := ""
	if hasFlowReference(at, line) {
		allowed = `a reference within { } or [ ] only in quotes, as in {token: "${TOKEN}"}`
	}
	return failureAllowing(Origin{File: at.name, Line: line}, "not valid YAML: "+unquoted(message), allowed)
}

// quotedAnchor takes the name of an anchor out of a message, which has no line.
func quotedAnchor(message, before, after string) (string, bool) {
	rest, found := strings.CutPrefix(message, before)
	name, closed := strings.CutSuffix(rest, after)
	return name, found && closed && name != ""
}

// lineOf returns the first line that has a word outside comments, or 0.
func lineOf(at *positions, word string) int {
	for number, start := range at.lines {
		text, _, _ := bytes.Cut(at.data[start:], []byte("\n"))
		text, _, _ = bytes.Cut(text, []byte(" #"))
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("#")) {
			continue
		}
		_, behind, found := bytes.Cut(text, []byte(word))
		if found && (len(behind) == 0 || bytes.IndexByte([]byte(" \t\r,]}"), behind[0]) >= 0) {
			return number + 1
		}
	}
	return 0
}

// isYAMLGrammar reports whether a message comes from the library's parser, which
// counts lines from 0, and not from its scanner or its decoder, which count from 1.
func isYAMLGrammar(message string) bool {
	for _, expected := range []string{"node content", "'-' indicator", "key", "',' or ']'", "',' or '}'", "<document start>", "<stream-start>"} {
		if message == "did not find expected "+expected {
			return true
		}
	}
	return message == "found undefined tag handle" || strings.HasPrefix(message, "found duplicate %")
}

// hasFlowReference reports whether the line, or the one before it, where the
// parser may have gone astray, has a reference inside braces or brackets.
func hasFlowReference(at *positions, line int) bool {
	for number := max(1, line-1); number <= min(line+1, len(at.lines)); number++ {
		text := at.data[at.lines[number-1]:]
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			text = text[:end]
		}
		before, _, found := bytes.Cut(text, []byte("${"))
		if found && bytes.ContainsAny(before, "{[") {
			return true
		}
	}
	return false
}
