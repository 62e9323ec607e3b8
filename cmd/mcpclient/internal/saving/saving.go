// Package saving writes what servers send into files.
//
// A server proposes names and types; neither is trusted. A file is only ever
// made in the folder that the user named, under a name of plain characters, and
// nothing that is there already is overwritten unless the user said so.
package saving

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxAttempts bounds the search for a name that is free.
const maxAttempts = 10_000

// Target is where files go. It is not safe for concurrent use.
type Target struct {
	folder    *os.Root
	shown     string // the folder, as it was given
	file      string // the one file's name; empty: each file has its own
	overwrite bool
	saved     int
}

// Open looks at what the path is. One that is a folder, or ends in a slash, which
// makes it one, takes any number of files under names of their own. Any other is
// the name of a file; further files get -2, -3 and so on before its extension.
// overwrite allows that file to be there already.
func Open(path string, overwrite bool) (*Target, error) {
	target := &Target{shown: path, overwrite: overwrite}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
	case strings.HasSuffix(path, "/") || os.IsPathSeparator(path[len(path)-1]):
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
	default:
		target.shown, target.file = filepath.Split(path)
	}
	folder := target.shown
	if folder == "" {
		folder = "."
	}
	if target.folder, err = os.OpenRoot(folder); err != nil {
		return nil, err
	}
	return target, nil
}

// Close releases the folder.
func (t *Target) Close() error { return t.folder.Close() }

// Count is how many files were written.
func (t *Target) Count() int { return t.saved }

// Save writes a file and returns its path. In a folder its name is made of the
// one that is proposed and the extension of the MIME type; where that is taken,
// it gets a number.
func (t *Target) Save(proposed, mimeType string, data []byte) (path string, err error) {
	base, extension := split(Name(proposed, mimeType))
	first := 1
	if t.file != "" {
		base, extension = split(t.file)
		first = t.saved + 1
	}
	for number := first; number < first+maxAttempts; number++ {
		name := base + extension
		if number > 1 {
			name = base + "-" + strconv.Itoa(number) + extension
		}
		err := t.write(name, data)
		switch {
		case err == nil:
			t.saved++
			return filepath.Join(t.shown, name), nil
		case !errors.Is(err, fs.ErrExist):
			return "", err
		case t.file != "":
			return "", fmt.Errorf("%s is there already (--force overwrites it)", filepath.Join(t.shown, name))
		}
	}
	return "", fmt.Errorf("%s: no name is free for %s", t.shown, base+extension)
}

func (t *Target) write(name string, data []byte) error {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if t.overwrite && t.file != "" {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := t.folder.OpenFile(name, how, 0o644)
	if err != nil {
		return err
	}
	if _, err = file.Write(data); err == nil {
		return file.Close()
	}
	_ = file.Close()
	_ = t.folder.Remove(name) // half a file is none
	return err
}

// split cuts a name before its extension.
func split(name string) (base, extension string) {
	extension = filepath.Ext(name)
	base = strings.TrimSuffix(name, extension)
	if base == "" {
		return name, ""
	}
	return base, extension
}
