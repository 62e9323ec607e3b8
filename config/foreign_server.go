package config

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"
)

// servers translates all servers; one that is switched off is left out.
func (t *translation) servers(n *node) *node {
	if n.kind != kindMap {
		return n // which is a fault
	}
	result := newMap(n.origin)
	for _, name := range n.keys {
		at := n.fields[name]
		if at.kind != kindMap {
			result.set(name, at) // a fault of this server
			continue
		}
		e := &entry{translation: t, name: name, at: at, ours: newMap(at.origin)}
		if e.translate(); e.off {
			t.warn(at, name, "", "the server is switched off in the file, and left out")
			continue
		}
		result.set(name, e.ours)
	}
	return result
}

// entry is one server of another program.
type entry struct {
	*translation
	name string
	at   *node
	ours *node
	off  bool

	kind    *node // of the transport; nil if not given
	address *node // the key it came from is in addressKey
	from    string
}

func (e *entry) translate() {
	e.ours.set("type", nil) // comes first
	for _, key := range e.at.keys {
		if value := e.at.fields[key]; value.kind != kindNull {
			e.key(key, e.texts(value))
		}
	}
	if e.address != nil {
		e.ours.set("base_url", e.address)
	}
	if e.kind == nil {
		e.infer()
	}
	if e.kind == nil {
		delete(e.ours.fields, "type")
		e.ours.keys = e.ours.keys[1:]
		return
	}
	e.ours.fields["type"] = e.kind
}

// infer tells the type by what else is there.
func (e *entry) infer() {
	for _, known := range [][2]string{{"command", "stdio"}, {"base_url", "http"}} {
		if at := e.ours.fields[known[0]]; at != nil {
			e.kind = newText(known[1], at.origin)
			return
		}
	}
}

// key translates one key.
func (e *entry) key(key string, value *node) {
	switch key {
	case "type", "transport", "transportType":
		e.kind = newText(transportName(value.text), value.origin)
	case "command":
		e.command(value)
	case "args":
		e.ours.set(key, value)
	case "cwd":
		e.ours.set(key, e.fromWorkspace(value))
	case "env", "environment":
		e.add("env", value)
	case "envFile":
		e.ours.set(keyEnvFile, e.fromWorkspace(value))
	case "env_vars":
		e.passed(value)
	case "url", "serverUrl", "httpUrl":
		e.url(key, value)
	case "headers", "http_headers":
		e.add("headers", value)
	case "env_http_headers":
		e.headerVariables(value)
	case "bearer_token_env_var":
		e.ours.set("token", newText("${"+value.text+"}", value.origin))
	case "disabled":
		e.off = e.off || value.text == "true"
	case "enabled":
		e.off = e.off || value.text == "false"
	case "timeout":
		e.timeout(key, value)
	case "tool_timeout_sec":
		e.seconds(key, "request_timeout", value, time.Second)
	case "startup_timeout_sec":
		e.seconds(key, "connect_timeout", value, time.Second)
	case "startup_timeout_ms", "initTimeout":
		e.seconds(key, "connect_timeout", value, time.Millisecond)
	case "includeTools", "enabled_tools", "tools":
		e.tools(key, "allow", value)
	case "excludeTools", "disabledTools", "disabled_tools":
		e.tools(key, "deny", value)
	default:
		e.meaningless(key, value)
	}
}

// transportName is our name of a transport, or the text itself.
func transportName(text string) string {
	switch plainWord(text) {
	case "stdio", "local":
		return "stdio"
	case "http", "streamablehttp", "remote":
		return "http"
	}
	return text
}

// command makes a list: other programs have the program alone there. Zed once had
// a map.
func (e *entry) command(value *node) {
	if value.kind == kindMap {
		for _, key := range value.keys {
			inner := map[string]string{"path": "command", "args": "args", "env": "env"}[key]
			if inner == "" {
				e.meaningless("command."+key, value.fields[key])
				continue
			}
			e.key(inner, value.fields[key])
		}
		return
	}
	if value.kind == kindText {
		if first, _, more := strings.Cut(value.text, " "); more && !strings.ContainsAny(first, `/\`) {
			e.warn(value, e.name, "command", "the whole text is the program, since no shell is there that would split it").Allowed = "the program alone, and what follows it in args"
		}
		if strings.Contains(value.text, "/") {
			value = e.fromWorkspace(value)
		}
		value = &node{kind: kindList, items: []*node{value}, origin: value.origin}
	}
	e.ours.set("command", value)
}

// fromWorkspace makes a path relative to the file, where it is relative to the
// workspace and that is not the file's folder.
func (e *entry) fromWorkspace(value *node) *node {
	if !e.hidden || value.kind != kindText || value.text == "" || filepath.IsAbs(value.text) || strings.ContainsAny(value.text[:1], "/~$") {
		return value
	}
	return newText(filepath.Join("..", value.text), value.origin)
}

// add puts the keys of a map into a map of ours.
func (e *entry) add(key string, value *node) {
	value = layNode(e.ours.fields[key], value)
	e.ours.set(key, value)
	for _, name := range value.keys {
		e.adviseDollar(key+"."+name, value.fields[name])
	}
}

// adviseDollar tells of $NAME, which some programs replace.
func (e *entry) adviseDollar(key string, value *node) {
	name, found := strings.CutPrefix(value.text, "$")
	if found && value.kind == kindText && isVariableName(name) {
		e.warn(value, e.name, key, "$"+name+" is not replaced here").Allowed = "${" + name + "}"
	}
}

// passed are the variables that go to the process as they are here.
func (e *entry) passed(value *node) {
	variables := newMap(value.origin)
	for _, item := range value.items {
		variables.set(item.text, newText("${"+item.text+"}", item.origin))
	}
	e.add("env", variables)
}

func (e *entry) headerVariables(value *node) {
	headers := newMap(value.origin)
	for _, name := range value.keys {
		headers.set(name, newText("${"+value.fields[name].text+"}", value.fields[name].origin))
	}
	e.add("headers", headers)
}

// url keeps one address: that of the newer transport, if there are two.
func (e *entry) url(key string, value *node) {
	if e.address != nil {
		kept, lost, at := e.from, key, value
		if key == "httpUrl" {
			kept, lost, at, e.address = key, e.from, e.address, value
		}
		e.from = kept
		e.warn(at, e.name, lost, "two addresses are given, and "+kept+" is used")
		return
	}
	e.address, e.from = value, key
}

// longestSeconds is the largest timeout that any program counts in seconds, one
// hour; what is larger is milliseconds.
const longestSeconds = 3600

// timeout is counted in seconds by some programs and in milliseconds by others.
func (e *entry) timeout(key string, value *node) {
	unit := time.Second
	if number, ok := numberOf(value); ok && number > longestSeconds {
		unit = time.Millisecond
	}
	if length := e.seconds(key, "request_timeout", value, unit); length > 0 {
		e.warn(value, e.name, key, "some programs count seconds here and some milliseconds: it is read as "+length.String())
	}
}

// seconds translates a number of units into a duration of ours, and returns it.
func (e *entry) seconds(key, ours string, value *node, unit time.Duration) time.Duration {
	number, ok := numberOf(value)
	length := time.Duration(math.Round(number * float64(unit)))
	if !ok || length <= 0 || length > longestDuration {
		e.warn(value, e.name, key, "not a length of time, and passed over").Found = value.describe()
		return 0
	}
	duration := newText(length.String(), value.origin)
	e.ours.set(ours, duration)
	if ours == "request_timeout" && length > defaultCeiling {
		e.ours.set("max_request_timeout", duration)
	}
	return length
}

// defaultCeiling is the default of max_request_timeout, which a longer
// request_timeout has to raise.
const defaultCeiling = 600 * time.Second

func numberOf(n *node) (float64, bool) {
	switch number := n.value.(type) {
	case int64:
		return float64(number), true
	case float64:
		return number, !math.IsNaN(number)
	}
	return 0, false
}

// tools translates a list of names, of which * alone means all.
func (e *entry) tools(key, rule string, value *node) {
	if value.kind != kindList {
		e.meaningless(key, value)
		return
	}
	if rule == "allow" && len(value.items) == 1 && value.items[0].text == "*" {
		return
	}
	rules := e.ours.fields["tools"]
	if rules == nil {
		rules = newMap(value.origin)
	}
	merged := mergeNodes(rules, newMap(rules.origin))
	merged.set(rule, value)
	e.ours.set("tools", merged)
}

// meaningless tells of a key that is not taken over, unless it concerns only the
// other program's own screens.
func (e *entry) meaningless(key string, value *node) {
	switch key {
	case "autoApprove", "alwaysAllow", "alwaysLoad", "trust", "description", "name", "title", "icon", "iconPath", "source", "dev", "gallery",
		"version", "extensionName", "required", "chatMenu", "serverInstructions":
		return
	case "oauth", "auth", "authProviderType", "headersHelper":
		e.warn(value, e.name, key, "how to sign in is not taken over").Allowed = "token, headers or auth in a file of this program's own"
		return
	}
	fault := e.warn(value, e.name, key, "this key has no meaning here, and is passed over")
	fault.Nearest = nearest(key, foreignKeys())
	if fault.Nearest == key {
		fault.Nearest = ""
	}
}

// foreignKeys are the keys that are taken over, for a hint to the nearest one.
func foreignKeys() []string {
	return []string{
		"type", "command", "args", "cwd", "env", "envFile", "env_vars", "url", "serverUrl", "httpUrl", "headers", "http_headers", "env_http_headers",
		"bearer_token_env_var", "disabled", "enabled", "timeout", "tool_timeout_sec", "startup_timeout_sec", "startup_timeout_ms",
		"includeTools", "excludeTools", "enabled_tools", "disabledTools", "disabled_tools",
	}
}

// inputs translates VS Code's list of questions into our map.
func (t *translation) inputs(n *node) *node {
	result := newMap(n.origin)
	for i, item := range n.items {
		place := fmt.Sprintf("%s[%d]", keyInputs, i)
		id := item.fields["id"]
		if item.kind != kindMap || id == nil || id.kind != kindText {
			t.warn(item, "", place, "an input without id, which is passed over")
			continue
		}
		if kind := item.fields["type"]; kind != nil && kind.text == "command" {
			t.warn(item, "", place, "an input that a command of the editor answers, which is passed over")
			continue
		}
		input := newMap(item.origin)
		for _, key := range []string{"description", "password", "default"} {
			if value := item.fields[key]; value != nil {
				input.set(key, t.texts(value))
			}
		}
		if options := item.fields["options"]; options != nil {
			input.set("options", optionValues(options))
		}
		result.set(id.text, input)
	}
	return result
}

// optionValues are the values of options, which may have labels.
func optionValues(options *node) *node {
	if options.kind != kindList {
		return options
	}
	values := &node{kind: kindList, origin: options.origin}
	for _, item := range options.items {
		if value := item.fields["value"]; value != nil {
			item = value
		}
		values.items = append(values.items, item)
	}
	return values
}
