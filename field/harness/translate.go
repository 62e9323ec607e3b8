package main

import (
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// translatedNote is told where a case's configuration was not taken as it is.
const translatedNote = "`command` is written as a list, since the product takes no string there"

// translate writes the case's configuration in the product's own keys, which the
// cases allow: a server's `command` becomes a list of one word. It returns the
// files to load in place of the given ones, which are the same ones if there was
// nothing to translate.
func translate(files []string) ([]string, error) {
	translated := slices.Clone(files)
	for i, path := range files {
		if filepath.Ext(path) == ".toml" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var document yaml.Node // JSON is YAML as well
		if err := yaml.Unmarshal(text, &document); err != nil || !commandsToLists(&document) {
			continue // what is no YAML is the product's to refuse
		}
		if text, err = yaml.Marshal(&document); err != nil {
			return nil, err
		}
		translated[i] = filepath.Join(filepath.Dir(path), "translated-"+filepath.Base(path))
		if err := os.WriteFile(translated[i], text, 0o644); err != nil {
			return nil, err
		}
	}
	return translated, nil
}

// commandsToLists changes servers.*.command, and says whether there was one.
func commandsToLists(document *yaml.Node) bool {
	if len(document.Content) == 0 {
		return false
	}
	changed := false
	for _, server := range members(member(document.Content[0], "servers")) {
		if command := member(server, "command"); command != nil && command.Kind == yaml.ScalarNode {
			word := *command
			*command = yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{&word}}
			changed = true
		}
	}
	return changed
}

// member returns the value of a map's key, or nil.
func member(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// members returns the values of a map.
func members(node *yaml.Node) []*yaml.Node {
	var values []*yaml.Node
	if node != nil && node.Kind == yaml.MappingNode {
		for i := 1; i < len(node.Content); i += 2 {
			values = append(values, node.Content[i])
		}
	}
	return values
}
