package config

import (
	"bytes"
	"path/filepath"
	"strings"
)

// format is how a file is written.
type format uint8

const (
	formatYAML format = iota
	formatTOML
	formatJSON
)

// formatOf tells the format by the name's extension, or else by the first line
// that says something.
func formatOf(name string, data []byte) format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return formatYAML
	case ".toml":
		return formatTOML
	case ".json", ".jsonc":
		return formatJSON
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return formatOfLine(line)
		}
	}
	return formatYAML
}

func formatOfLine(line []byte) format {
	sign := bytes.IndexAny(line, ":=")
	switch {
	case line[0] == '{', bytes.HasPrefix(line, []byte("//")), bytes.HasPrefix(line, []byte("/*")):
		return formatJSON
	case line[0] == '[', sign > 0 && line[sign] == '=':
		return formatTOML
	}
	return formatYAML
}
