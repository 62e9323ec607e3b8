package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// MaxBytes bounds what is read from one file, or from stdin.
const MaxBytes = 64 << 20

// Word is what one word of the command line says.
type Word struct {
	// Key is the name as written: it may be a path such as a.b.
	Key string
	// Text is the value, read from where the word says.
	Text string
	// IsJSON: the value is JSON, whatever the schema says.
	IsJSON bool
	// Appends: the value is one more element of an array.
	Appends bool
}

// Source is what words may refer to.
type Source struct {
	// Stdin is read to its end, once.
	Stdin io.Reader

	used bool
}

// errStdinTwice: stdin can be read once.
var errStdinTwice = errors.New("stdin is asked for twice")

// ReadStdin reads stdin to its end.
func (s *Source) ReadStdin() ([]byte, error) {
	if s.used {
		return nil, errStdinTwice
	}
	s.used = true
	return bounded(s.Stdin, "stdin")
}

func (s *Source) read(name string) ([]byte, error) {
	if name == "-" {
		return s.ReadStdin()
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return bounded(file, name)
}

func bounded(from io.Reader, name string) ([]byte, error) {
	read, err := io.ReadAll(io.LimitReader(from, MaxBytes+1))
	if err == nil && len(read) > MaxBytes {
		return nil, fmt.Errorf("%s has more than %d MiB", name, MaxBytes>>20)
	}
	return read, err
}

// Parse reads the words:
//
//	key=value     a value whose type the schema tells
//	key:=json     JSON
//	key=@file     the text of a file, or of stdin where the file is -
//	key:=@file    the JSON of a file, or of stdin
//	key=@@value   a value that begins with @
//	key[]=value   one more element of an array, also with := and @
func Parse(words []string, source *Source) ([]Word, error) {
	parsed := make([]Word, 0, len(words))
	for _, text := range words {
		word, err := parse(text, source)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, word)
	}
	return parsed, nil
}

func parse(text string, source *Source) (Word, error) {
	key, value, found := strings.Cut(text, "=")
	if !found {
		return Word{}, fmt.Errorf("argument %q is neither key=value nor key:=json", text)
	}
	var word Word
	key, word.IsJSON = strings.CutSuffix(key, ":")
	word.Key, word.Appends = strings.CutSuffix(key, "[]")
	if word.Key == "" {
		return Word{}, fmt.Errorf("argument %q has no key", text)
	}
	var err error
	if word.Text, err = valueOf(value, source); err != nil {
		return Word{}, fmt.Errorf("argument %s: %w", word.Key, err)
	}
	if word.IsJSON && !json.Valid([]byte(word.Text)) {
		return Word{}, fmt.Errorf("argument %s:= wants JSON; found %s", word.Key, excerpt(word.Text))
	}
	return word, nil
}

func valueOf(value string, source *Source) (string, error) {
	name, isFile := strings.CutPrefix(value, "@")
	switch {
	case !isFile:
		return value, nil
	case strings.HasPrefix(name, "@"):
		return name, nil
	case name == "":
		return "", errors.New("a file is wanted after @ (@@ is a value that begins with @)")
	}
	read, err := source.read(name)
	return string(read), err
}

// maxExcerpt bounds what is shown of a value, in bytes.
const maxExcerpt = 80

func excerpt(text string) string {
	if len(text) <= maxExcerpt {
		return text
	}
	return strings.ToValidUTF8(text[:maxExcerpt], "") + "..."
}

// Object reads a JSON object. source says where it came from.
func Object(text []byte, source string) (map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	err := json.Unmarshal(text, &object)
	switch kind := kindOf(text); {
	case err == nil && object != nil:
		return object, nil
	case kind != "":
		return nil, fmt.Errorf("%s wants a JSON object; found %s", source, kind)
	default:
		return nil, fmt.Errorf("%s wants a JSON object, and this is not JSON: %w", source, err)
	}
}
