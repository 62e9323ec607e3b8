package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// largestFile bounds a configuration file, in bytes.
const largestFile = 16 << 20

// Options replaces what a configuration is read from. The zero value is this
// process: its environment and its files.
type Options struct {
	// LookupEnv resolves ${VAR}; nil is os.LookupEnv. It is called from any
	// goroutine that decodes a section or reveals a Secret.
	LookupEnv func(name string) (string, bool)
	// ReadFile reads the configuration files and ${file:/path}; nil reads
	// regular files, 16 MiB and 1 MiB at most. It is called like LookupEnv.
	ReadFile func(path string) ([]byte, error)
	// Environ lists the environment, as os.Environ does, for variables that override
	// keys; nil is os.Environ, or, where LookupEnv is replaced, nothing.
	Environ func() []string
	// NoOverrides keeps environment variables from overriding keys.
	NoOverrides bool
	// Input answers ${input:id}, for programs that have a person to ask. It is
	// called when a value is needed, with no lock held, from any goroutine that
	// decodes a section or reveals a Secret, once for each input of each server: its
	// answer is remembered, an error is not. It must not decode or reveal what the
	// same input stands in. nil makes every such reference a fault.
	Input func(Input) (string, error)
}

// Load reads the files, in layers: a later one wins. The extension decides the
// format: .yaml, .yml, .toml, .json or .jsonc; of a file with another one its
// content does. It fails only for a file itself, with a
// *errors.ServerConfigurationError that gives file, line and column (YAML syntax:
// file and line); a file that cannot be read also satisfies errors.Is with
// fs.ErrNotExist and the like. Servers are checked when their sections are
// decoded. Paths appear in messages as given.
func Load(paths ...string) (*Config, error) { return LoadWith(Options{}, paths...) }

// LoadWith is Load with another environment or file system.
func LoadWith(options Options, paths ...string) (*Config, error) {
	if len(paths) == 0 {
		return nil, failureAllowing(Origin{}, "no configuration file was named", "at least one path")
	}
	layers := layers{options: options}
	contents, blank := make([][]byte, len(paths)), ""
	for i, path := range paths {
		data, err := readConfiguration(options, path)
		if err != nil {
			return nil, err
		}
		if err := layers.add(path, data); err != nil {
			return nil, err
		}
		if contents[i] = data; isBlank(data) {
			blank = path
		}
	}
	c := layers.config(strings.Join(paths, ", "))
	c.paths, c.options, c.content, c.blank = slices.Clone(paths), options, contentOf(contents), blank
	return c, nil
}

// Parse is Load for the content of one file; name decides the format and
// appears in messages. data may have 16 MiB and is not kept.
func Parse(name string, data []byte) (*Config, error) {
	return ParseWith(Options{}, name, data)
}

// ParseWith is Parse with another environment or file system.
func ParseWith(options Options, name string, data []byte) (*Config, error) {
	layers := layers{options: options}
	if err := layers.add(name, data); err != nil {
		return nil, err
	}
	return layers.config(name), nil
}

func readConfiguration(options Options, path string) ([]byte, error) {
	read := options.ReadFile
	if read == nil {
		read = func(path string) ([]byte, error) { return readFile(path, largestFile) }
	}
	data, err := read(path)
	if err != nil {
		fault := faultAt(Origin{File: path}, "the configuration file cannot be read: "+readFailure(err))
		return nil, &fileError{&errors.ServerConfigurationError{Faults: []errors.Fault{fault}}, err}
	}
	return data, nil
}

// layers collects files: a later one is laid over the earlier ones.
type layers struct {
	options  Options
	root     *node // nil before the first file
	count    int
	warnings []errors.Fault
}

func (l *layers) add(name string, data []byte) error {
	values, places, err := parseFile(name, l.count, data)
	if err != nil {
		return err
	}
	root, err := newNode(values, places, Origin{File: name, dir: folderOf(name), layer: l.count})
	if err != nil {
		return err
	}
	root, warnings := translate(root, formatOf(name, data), newSource(l.options, nil))
	l.warnings = append(l.warnings, warnings...)
	l.count++
	l.root = layNode(l.root, root)
	return nil
}

func (l *layers) config(name string) *Config {
	root, faults, warnings := override(l.root, l.options)
	c := newConfig(name, root, l.options)
	c.faults, c.warnings = append(c.faults, faults...), append(l.warnings, warnings...)
	return c
}

// parseFile reads one file of any format. An empty one is an empty map.
func parseFile(name string, layer int, data []byte) (map[string]any, *place, error) {
	if len(data) > largestFile {
		return nil, nil, failure(Origin{File: name}, fmt.Sprintf("the file is larger than %d MiB", largestFile>>20))
	}
	// Editors on Windows begin a file with a byte order mark.
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	at := newPositions(name, layer, data)
	switch formatOf(name, data) {
	case formatTOML:
		return parseTOML(at)
	case formatJSON:
		return parseJSON(at)
	default:
		return parseYAML(at)
	}
}

func notAMap(at Origin) error {
	return failureAllowing(at, "the file is not a map", "the keys "+strings.Join(topLevelKeys(), ", "))
}
