// Package pinfile remembers the definitions of tools in a file: a policy.PinStore
// that outlives the program.
//
// The file is JSON that people can read, compare and keep under version control:
//
//	{
//	  "github": {
//	    "create_issue": "sha256:1f3a..."
//	  }
//	}
package pinfile

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Store is a policy.PinStore in one file, for its owner only. It is safe for
// concurrent use. A change is written to another file first, which then takes the
// place of the old one, so that a reader finds one or the other. Of several
// programs that write to the same file at the same time, the pins of one may be
// lost; it writes them again when it next sees the tools for the first time.
type Store struct {
	path string
	mu   sync.Mutex
}

var _ policy.PinStore = (*Store)(nil)

// Open returns the store in the file of that name. It does no I/O: the file, and
// its folder, are made when there is something to remember.
func Open(path string) *Store { return &Store{path: path} }

// Pins implements policy.PinStore. A file that is not there holds nothing; one
// that is no map of servers is an error.
func (s *Store) Pins(ctx context.Context, server string) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	servers, err := s.read(ctx)
	return servers[server], err
}

// Pin implements policy.PinStore.
func (s *Store) Pin(ctx context.Context, server string, digests map[string]string, replace bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	servers, err := s.read(ctx)
	if err != nil {
		return err
	}
	if servers == nil {
		servers = map[string]map[string]string{}
	}
	servers[server] = policy.MergePins(servers[server], digests, replace)
	return s.write(servers)
}

func (s *Store) read(ctx context.Context) (servers map[string]map[string]string, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	content, err := readFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &servers); err != nil {
		return nil, fmt.Errorf("%s is no file of pins: %w", s.path, err)
	}
	return servers, nil
}

// largest bounds the file, in bytes.
const largest = 256 << 20

// readFile reads a regular file. A pipe or a device is refused: opening one could
// wait for ever, and all lists with it.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file of pins: not a regular file", path)
	case info.Size() > largest:
		return nil, fmt.Errorf("%s is no file of pins: larger than %d MiB", path, largest>>20)
	}
	return os.ReadFile(path)
}

func (s *Store) write(servers map[string]map[string]string) (err error) {
	content, err := json.MarshalIndent(servers, "", "  ")
	if err != nil {
		return err
	}
	folder := filepath.Dir(s.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "."+filepath.Base(s.path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(append(content, '\n'))
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), s.path)
}
