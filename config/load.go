package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/mcp-client-go/mcpclient/errors"
)

// largestFile bounds a configuration file, in bytes.
const largestFile = 16 << 20

// noDelimiter keeps koanf from splitting keys: a server may be named github.com.
const noDelimiter = "\x00"

// Options replaces what a configuration is read from. The zero value is this
// process: its environment and its files.
type Options struct {
	// LookupEnv resolves ${VAR}; nil is os.LookupEnv. It is called from any
	// goroutine that decodes a section or reveals a Secret.
	LookupEnv func(name string) (string, bool)
	// ReadFile reads the configuration files and ${file:/path}; nil reads
	// regular files, 16 MiB and 1 MiB at most. It is called like LookupEnv.
	ReadFile func(path string) ([]byte, error)
}

// Load reads the files, in layers: a later one wins. The extension decides the
// format: .yaml, .yml, .toml or .json. It fails only for a file itself, with a
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
	layers := newLayers()
	for _, path := range paths {
		data, err := readConfiguration(options, path)
		if err != nil {
			return nil, err
		}
		if err := layers.add(path, data); err != nil {
			return nil, err
		}
	}
	return layers.config(strings.Join(paths, ", "), newSource(options))
}

// Parse is Load for the content of one file; name decides the format and
// appears in messages. data may have 16 MiB and is not kept.
func Parse(name string, data []byte) (*Config, error) {
	return ParseWith(Options{}, name, data)
}

// ParseWith is Parse with another environment or file system.
func ParseWith(options Options, name string, data []byte) (*Config, error) {
	layers := newLayers()
	if err := layers.add(name, data); err != nil {
		return nil, err
	}
	return layers.config(name, newSource(options))
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

// layers collects files: koanf merges their values, and places are merged beside them.
type layers struct {
	values *koanf.Koanf
	places *place
	count  int
}

func newLayers() *layers { return &layers{values: koanf.New(noDelimiter)} }

func (l *layers) add(name string, data []byte) error {
	values, places, err := parseFile(name, l.count, data)
	if err != nil {
		return err
	}
	if err := l.values.Load(confmap.Provider(values, ""), nil); err != nil {
		return failure(Origin{File: name}, "cannot merge the file: "+printable(err.Error()))
	}
	l.places = mergePlaces(l.places, places)
	l.count++
	return nil
}

func (l *layers) config(name string, from *source) (*Config, error) {
	root, err := newNode(l.values.Raw(), l.places, Origin{File: name})
	if err != nil {
		return nil, err
	}
	return newConfig(name, root, from), nil
}

// parseFile reads one file of any format. An empty one is an empty map.
func parseFile(name string, layer int, data []byte) (map[string]any, *place, error) {
	if len(data) > largestFile {
		return nil, nil, failure(Origin{File: name}, fmt.Sprintf("the file is larger than %d MiB", largestFile>>20))
	}
	// Editors on Windows begin a file with a byte order mark.
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	at := newPositions(name, layer, data)
	switch extension := strings.ToLower(filepath.Ext(name)); extension {
	case ".yaml", ".yml":
		return parseYAML(at)
	case ".toml":
		return parseTOML(at)
	case ".json":
		return parseJSON(at)
	default:
		fault := faultAt(Origin{File: name}, "the format is not known from the extension")
		fault.Found, fault.Allowed = printable(extension), ".yaml, .yml, .toml, .json"
		return nil, nil, &errors.ServerConfigurationError{Faults: []errors.Fault{fault}}
	}
}

func notAMap(at Origin) error {
	return failureAllowing(at, "the file is not a map", "the keys "+strings.Join(topLevelKeys(), ", "))
}
