package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// largestReferencedFile bounds what ${file:...} and an env_file read, in bytes.
const largestReferencedFile = 1 << 20

// source is where references get their values. A nil *source is the
// environment and the files of this process, and asks for no input.
type source struct {
	lookupEnv func(name string) (string, bool)
	readFile  func(path string) ([]byte, error)
	inputs    *inputs // nil if none are declared and nobody can be asked
}

// newSource returns nil when nothing is replaced, so that two secrets from two
// loads of one file compare equal.
func newSource(options Options, declared *inputs) *source {
	if options.LookupEnv == nil && options.ReadFile == nil && declared == nil {
		return nil
	}
	return &source{lookupEnv: options.LookupEnv, readFile: options.ReadFile, inputs: declared}
}

func (s *source) variable(name string) (string, bool) {
	if s == nil || s.lookupEnv == nil {
		return os.LookupEnv(name)
	}
	return s.lookupEnv(name)
}

func (s *source) file(path string) ([]byte, error) {
	if s == nil || s.readFile == nil {
		return readFile(path, largestReferencedFile)
	}
	return s.readFile(path)
}

// home is the folder that ~ stands for; ok is false if nothing tells it.
func (s *source) home() (folder string, ok bool) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	folder, _ = s.variable(name)
	return folder, folder != ""
}

// scope is where a text stands: it decides what its references stand for.
type scope struct {
	source *source
	dir    string // the folder of the file, absolute; "" for Go values
	server string
}

// path returns what a path means here: ~ is the home folder, and a relative one is
// taken from the folder of the file. Where there is no file it stays relative.
func (c scope) path(text string) (string, *problem) {
	rest, fromHome := strings.CutPrefix(text, "~")
	switch {
	case text == "":
		return "", nil
	case fromHome && (rest == "" || os.IsPathSeparator(rest[0])):
		home, known := c.source.home()
		if !known {
			return "", &problem{"", "the home folder, which ~ stands for, is not known", "a path without ~"}
		}
		return filepath.Join(home, rest), nil
	case filepath.IsAbs(text) || c.dir == "":
		return text, nil
	}
	return filepath.Join(c.dir, text), nil
}

// readFile reads a regular file of at most limit bytes. A pipe or a device is
// refused: opening one could wait for ever.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read from: nothing can be lost
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return content, nil
}

// readFailure is the reason without the path, which the message already has.
func readFailure(err error) string {
	if failure, ok := errors.AsType[*os.PathError](err); ok {
		err = failure.Err
	}
	return printable(err.Error())
}
