package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Files of other programs are told by their shape, whatever their name, and
// become a tree of our own keys, whose nodes keep their places:
//
//	mcpServers: {NAME: {...}}         Claude, Cursor, Windsurf, Cline, Gemini, ...
//	servers: {NAME: {...}}, inputs    VS Code's mcp.json
//	mcp: {servers: ..., inputs: ...}  VS Code's settings.json
//	context_servers: {NAME: {...}}    Zed
//	mcp_servers: {NAME: {...}}        Codex
//	mcp: {NAME: {type: local, ...}}   OpenCode
//
// Those files are not written for this program: what it does not know in them is
// a warning, where in our own files it is a fault. Other settings beside the
// servers are not looked at.

// The top-level keys of other programs.
const (
	keyDesktopServers = "mcpServers"
	keyZedServers     = "context_servers"
	keyCodexServers   = "mcp_servers"
	keyEditorSettings = "mcp"
)

// dialect is what another program's file holds.
type dialect struct {
	key     string // that the servers stand under, for messages
	servers *node
	inputs  *node // a list; nil if absent
	braces  bool  // {env:NAME} is a reference
}

// recognise returns nil for a file of our own.
func recognise(root *node, written format) *dialect {
	if hasOwn(root, keyServers) {
		if written == formatJSON && isEditorFile(root) {
			return &dialect{key: keyServers, servers: root.fields[keyServers], inputs: root.fields[keyInputs]}
		}
		return nil
	}
	for _, key := range []string{keyDesktopServers, keyZedServers, keyCodexServers} {
		if hasOwn(root, key) {
			return &dialect{key: key, servers: root.fields[key], inputs: listOf(root.fields[keyInputs])}
		}
	}
	settings := root.fields[keyEditorSettings]
	switch {
	case settings == nil || settings.kind != kindMap:
		return nil
	case hasOwn(settings, keyServers):
		return &dialect{key: keyEditorSettings + "." + keyServers, servers: settings.fields[keyServers], inputs: settings.fields[keyInputs]}
	case hasLocalAndRemote(settings):
		return &dialect{key: keyEditorSettings, servers: settings, braces: true}
	}
	return nil
}

// hasOwn reports whether a map has the key, and it is not null.
func hasOwn(n *node, key string) bool {
	field := n.fields[key]
	return field != nil && field.kind != kindNull
}

func listOf(n *node) *node {
	if n == nil || n.kind != kindList {
		return nil
	}
	return n
}

// isEditorFile tells VS Code's mcp.json from a JSON file of our own, which has the
// servers under the same key, by what only one of them has.
func isEditorFile(root *node) bool {
	for _, key := range []string{keyDefaults, keyStrict, keyStore} {
		if root.fields[key] != nil {
			return false
		}
	}
	if inputs := root.fields[keyInputs]; inputs != nil && inputs.kind != kindNull {
		return inputs.kind == kindList
	}
	servers := root.fields[keyServers]
	if filepath.Base(root.origin.dir) == ".vscode" {
		return true
	}
	return slices.ContainsFunc(servers.keys, func(name string) bool {
		entry := servers.fields[name]
		if !hasOwn(entry, "type") && (hasOwn(entry, "command") || hasOwn(entry, "url")) {
			return true
		}
		return hasOwn(entry, "envFile") || hasOwn(entry, "dev") || hasOwn(entry, "gallery")
	})
}

// hasLocalAndRemote reports whether all is OpenCode's servers.
func hasLocalAndRemote(settings *node) bool {
	return len(settings.keys) > 0 && !slices.ContainsFunc(settings.keys, func(name string) bool {
		kind := settings.fields[name].fields["type"]
		return kind == nil || kind.text != "local" && kind.text != "remote"
	})
}

// translate returns the tree of our own keys that a file stands for, and warnings
// about what was lost.
func translate(root *node, written format, from *source) (*node, []errors.Fault) {
	found := recognise(root, written)
	if found == nil {
		return root, nil
	}
	workspace, hidden := workspaceOf(root.origin.dir)
	t := &translation{dialect: found, words: predefined(workspace, from), hidden: hidden}
	for _, key := range []string{keyDefaults, keyStrict, keyStore} {
		if at := root.fields[key]; at != nil {
			t.warn(at, "", key, "this key has no meaning beside "+found.key+", which belongs to another program; put it into a file of its own, loaded as well")
		}
	}
	ours := newMap(root.origin)
	ours.set(keyServers, t.servers(found.servers))
	if found.inputs != nil && found.inputs.kind == kindList {
		ours.set(keyInputs, t.inputs(found.inputs))
	}
	sortFaults(t.warnings)
	return ours, t.warnings
}

// translation is the work on one file.
type translation struct {
	dialect  *dialect
	words    *strings.Replacer
	hidden   bool // the file stands in a hidden folder of the workspace
	warnings []errors.Fault
}

func (t *translation) warn(at *node, server, key, message string) *errors.Fault {
	fault := faultAt(at.origin, message)
	fault.Server, fault.Key = server, shownKey(key)
	t.warnings = append(t.warnings, fault)
	return &t.warnings[len(t.warnings)-1]
}

// workspaceOf is the folder that an editor's file is about: that of the file, or
// the one around it if the file stands in .vscode, .cursor and the like.
func workspaceOf(dir string) (workspace string, hidden bool) {
	if base := filepath.Base(dir); strings.HasPrefix(base, ".") && len(base) > 1 {
		return filepath.Dir(dir), true
	}
	return dir, false
}

// predefined replaces the references that editors define by what they mean here.
func predefined(workspace string, from *source) *strings.Replacer {
	pairs := []string{"$${", "$${"} // stays
	add := func(name, value string) {
		pairs = append(pairs, "${"+name+"}", strings.ReplaceAll(value, "${", "$${"))
	}
	add("workspaceFolder", workspace)
	add("workspaceFolderBasename", filepath.Base(workspace))
	add("workspaceRoot", workspace)
	add("pathSeparator", string(filepath.Separator))
	add("/", string(filepath.Separator))
	if home, known := from.home(); known {
		add("userHome", home)
	}
	return strings.NewReplacer(pairs...)
}

// texts returns n with the references of other programs as ours.
func (t *translation) texts(n *node) *node {
	switch n.kind {
	case kindText:
		text := t.words.Replace(n.text)
		if t.dialect.braces {
			text = withDollars(text)
		}
		if text == n.text {
			return n
		}
		return newText(text, n.origin)
	case kindList:
		list := &node{kind: kindList, origin: n.origin}
		for _, item := range n.items {
			list.items = append(list.items, t.texts(item))
		}
		return list
	case kindMap:
		result := newMap(n.origin)
		for _, key := range n.keys {
			result.set(key, t.texts(n.fields[key]))
		}
		return result
	}
	return n
}

// withDollars makes ${NAME} of {env:NAME}, and ${file:path} of {file:path}.
func withDollars(text string) string {
	var result strings.Builder
	for {
		start := strings.IndexByte(text, '{')
		if start < 0 {
			result.WriteString(text)
			return result.String()
		}
		body, rest, closed := strings.Cut(text[start+1:], "}")
		name, isVariable := strings.CutPrefix(body, "env:")
		switch {
		case closed && isVariable && isVariableName(name):
			result.WriteString(text[:start] + "${" + name + "}")
		case closed && strings.HasPrefix(body, "file:"):
			result.WriteString(text[:start] + "${" + body + "}")
		default:
			result.WriteString(text[:start+1])
			text = text[start+1:]
			continue
		}
		text = rest
	}
}
