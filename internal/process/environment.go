package process

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Inherit says how much of the parent's environment a child gets.
type Inherit uint8

const (
	// InheritSafe passes a short list of variables that hold no secrets. It is
	// the default (pitfall P39).
	InheritSafe Inherit = iota
	// InheritAll passes everything.
	InheritAll
	// InheritNone passes nothing, except, on Windows, SYSTEMROOT, without which
	// programs do not start there.
	InheritNone
)

// safeVariables are passed by InheritSafe, where they are set.
var safeVariables = [...]string{
	"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
	// Windows
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE",
	"PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// Environ returns this process's environment, for Environment.
func Environ() []string { return os.Environ() }

// Environment composes a child's environment: the wanted part of parent (as
// Environ gives it), and extra on top. Inherited values that are exported
// shell functions (they begin with "()") are left out. The result has each name
// once, is sorted, and is never nil. Names are compared without regard to case
// on Windows.
func Environment(mode Inherit, extra map[string]string, parent []string) []string {
	return environment(mode, extra, parent, runtime.GOOS == "windows")
}

func environment(mode Inherit, extra map[string]string, parent []string, windows bool) []string {
	fold := func(name string) string {
		if windows {
			return strings.ToUpper(name)
		}
		return name
	}
	variables := make(map[string]string, len(parent)+len(extra))
	for _, variable := range parent {
		name, value, found := cutVariable(variable)
		if !found || strings.HasPrefix(value, "()") || !mode.passes(fold(name), windows) {
			continue
		}
		variables[fold(name)] = variable
	}
	// Sorted, so that of two names that differ in case the same one always wins.
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		variables[fold(name)] = name + "=" + extra[name]
	}
	out := make([]string, 0, len(variables))
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		out = append(out, variables[name])
	}
	return out
}

// passes reports whether a variable of the parent goes to the child.
func (m Inherit) passes(name string, windows bool) bool {
	switch m {
	case InheritAll:
		return true
	case InheritSafe:
		return slices.Contains(safeVariables[:], name)
	default:
		return windows && name == "SYSTEMROOT"
	}
}

// cutVariable splits "NAME=value". Windows has names that begin with "=".
func cutVariable(variable string) (name, value string, found bool) {
	if variable == "" {
		return "", "", false
	}
	at := strings.IndexByte(variable[1:], '=') + 1
	if at == 0 {
		return "", "", false
	}
	return variable[:at], variable[at+1:], true
}

// variable returns the value that a child with this environment sees.
func variable(env []string, name string) (value string, found bool) {
	for _, entry := range slices.Backward(env) {
		entryName, value, ok := cutVariable(entry)
		if ok && (entryName == name || runtime.GOOS == "windows" && strings.EqualFold(entryName, name)) {
			return value, true
		}
	}
	return "", false
}
