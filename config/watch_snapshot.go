package config

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
)

// snapshot is what one look at the files found.
type snapshot struct {
	config  *Config
	err     error
	content [32]byte            // of the configuration files
	servers map[string][32]byte // their fingerprints
	files   []string            // all that were read, or could not be
	// unsettled: a file that a value refers to is empty or cannot be read, as files
	// are while they are written.
	unsettled bool
}

// snapshotOf is that of a configuration which is in force already.
func snapshotOf(cfg *Config) snapshot {
	return snapshot{content: cfg.content, servers: cfg.fingerprints()}
}

func (c *Config) fingerprints() map[string][32]byte {
	prints := make(map[string][32]byte, len(c.servers.keys))
	for _, name := range c.servers.keys {
		section, _ := c.Server(name)
		prints[name] = section.Fingerprint()
	}
	return prints
}

// takeSnapshot reads the files and what they refer to.
func takeSnapshot(paths []string, options Options, check func(*Config) error) snapshot {
	recorder := &fileRecorder{read: options.ReadFile, seen: map[string]bool{}}
	recording := options
	recording.ReadFile = recorder.readFile
	cfg, err := LoadWith(recording, paths...)
	if err != nil {
		for _, path := range paths { // those behind the one that cannot be read as well
			recorder.seen[path] = true
		}
		return snapshot{err: err, files: recorder.files()}
	}
	recorder.unsettled = false // that of the files themselves is another matter
	found := snapshot{config: cfg, content: cfg.content, servers: cfg.fingerprints()}
	found.files, found.unsettled = recorder.files(), recorder.unsettled
	// What is handed on reads by itself.
	cfg.options = options
	cfg.source = newSource(options, cfg.source.inputs)
	if found.err = cfg.unfit(); found.err == nil && check != nil {
		found.err = check(cfg)
	}
	return found
}

// unfit returns why a configuration does not replace one that works: at a start
// there is nothing to lose, but a file that is only half written may well be a valid
// file without servers.
func (c *Config) unfit() error {
	if c.blank != "" {
		return failure(Origin{File: c.blank}, "the file is empty, which counts as not written yet while it is watched")
	}
	if len(c.faults) > 0 {
		return &errors.ServerConfigurationError{Faults: c.Faults()}
	}
	return nil
}

func (s snapshot) equal(other snapshot) bool {
	return s.content == other.content && maps.Equal(s.servers, other.servers)
}

// since tells what is new, compared with what was in force before.
func (s snapshot) since(before snapshot) Update {
	update := Update{Config: s.config}
	for _, name := range s.config.Names() {
		old, known := before.servers[name]
		switch {
		case !known:
			update.Added = append(update.Added, name)
		case old != s.servers[name]:
			update.Changed = append(update.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.servers)) {
		if _, stays := s.servers[name]; !stays {
			update.Removed = append(update.Removed, name)
		}
	}
	return update
}

// fileRecorder notes which files were read, all by one goroutine.
type fileRecorder struct {
	read      func(path string) ([]byte, error)
	seen      map[string]bool
	unsettled bool
}

func (r *fileRecorder) readFile(path string) ([]byte, error) {
	r.seen[path] = true
	read := r.read
	if read == nil {
		read = func(path string) ([]byte, error) { return readFile(path, largestFile) }
	}
	content, err := read(path)
	r.unsettled = r.unsettled || err != nil || isBlank(content)
	return content, err
}

func (r *fileRecorder) files() []string { return slices.Sorted(maps.Keys(r.seen)) }

// contentOf is a digest of the files that a configuration was read from.
func contentOf(contents [][]byte) [32]byte {
	digest := sha256.New()
	for _, content := range contents {
		sum := sha256.Sum256(content)
		_, _ = digest.Write(sum[:])
	}
	return [32]byte(digest.Sum(nil))
}

// isBlank reports whether a file holds nothing at all.
func isBlank(content []byte) bool { return len(bytes.TrimSpace(content)) == 0 }
