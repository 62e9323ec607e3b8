package mcpclient_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

// canaries are secrets that a test has put into every place where one can sit,
// each to be told from the others, and a watch over whatever could show them:
// log lines, errors, printed and encoded values (R100, R271, P104).
type canaries struct {
	t *testing.T

	mu    sync.Mutex
	cores map[string]string // by place: what is looked for
	met   map[string]bool   // places whose secret the peer got
	log   bytes.Buffer
	told  map[string]bool // leaks that were reported

	foreign bool // there are secrets without the mark
}

func newCanaries(t *testing.T) *canaries {
	return &canaries{t: t, cores: map[string]string{}, met: map[string]bool{}, told: map[string]bool{}}
}

// put returns the secret of a place. It has characters that URLs and JSON may
// write in other ways.
func (c *canaries) put(place string) string {
	sum := sha256.Sum256([]byte(place))
	core := mark + hex.EncodeToString(sum[:6])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cores[place] = core
	return core + "/a+b." + strings.ReplaceAll(place, " ", "-")
}

// watch looks for a secret that somebody else has made; short ones are no secrets.
func (c *canaries) watch(place, secret string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(secret) >= 8 {
		c.cores[place] = secret
		c.foreign = true
	}
}

// meet is told all that a peer got, so that a test which sends no secret fails.
func (c *canaries) meet(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for place, core := range c.cores {
		if !c.met[place] && holds(text, core) {
			c.met[place] = true
		}
	}
}

// merge takes over what the peer of another test got.
func (c *canaries) merge(other *canaries) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.met, other.met)
}

// requireMet fails the test unless the secrets of these places reached a peer.
func (c *canaries) requireMet(places ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, place := range places {
		require.True(c.t, c.met[place], "nobody got the secret in %q: the test tests nothing", place)
	}
}

// mark begins every core, so that most texts are soon done with.
const mark = "cnry"

// forms are what a text shows of a secret: as it is, in hex, or in base64 that
// begins anywhere.
func forms(core string) []string {
	all := []string{core, hex.EncodeToString([]byte(core)), strings.ToUpper(hex.EncodeToString([]byte(core)))}
	for offset := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + core + "\x00\x00"))
		// The first group holds what stands before, the last ones what follows.
		all = append(all, encoded[4*min(offset, 1):len(encoded)-4])
	}
	return all
}

func holds(text, core string) bool {
	return slices.ContainsFunc(forms(core), func(form string) bool { return strings.Contains(text, form) })
}

// look reports the secrets that a text shows.
func (c *canaries) look(where, text string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.foreign && !holds(text, mark) {
		return
	}
	for _, place := range slices.Sorted(maps.Keys(c.cores)) {
		if holds(text, c.cores[place]) && !c.told[where+place] {
			c.told[where+place] = true
			c.t.Errorf("%s shows the secret in %q:\n%.600s", where, place, text)
		}
	}
}

// error looks at an error, at all that it wraps, and at their fields.
func (c *canaries) error(where string, err error) {
	c.t.Helper()
	if err == nil {
		return
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%q", "%d"} { // of %s and %x the text is that of %v
		c.look(where+": error "+verb, fmt.Sprintf(verb, err))
	}
	switch wrapping := err.(type) {
	case interface{ Unwrap() error }:
		c.error(where, wrapping.Unwrap())
	case interface{ Unwrap() []error }:
		for _, inner := range wrapping.Unwrap() {
			c.error(where, inner)
		}
	}
	if failure, ok := err.(*errors.TransporterRequestError); ok { // itself, not what it wraps
		encoded, _ := json.Marshal(failure)
		c.look(where+": error as JSON", string(encoded))
		c.look(where+": fields of the error", fmt.Sprintf("%+v %s", *failure, failure.Data))
	}
}

// value looks at what a program shows of a value that it prints, encodes or logs.
func (c *canaries) value(where string, value any) {
	c.t.Helper()
	c.printed(where, value)
	c.look(where+" in an unexported field", fmt.Sprintf("%v %+v %#v", wrapping{value}, wrapping{value}, wrapping{value}))
	encoded, _ := json.Marshal(value)
	c.look(where+" as JSON", string(encoded))
	var line bytes.Buffer
	slog.New(slog.NewJSONHandler(&line, nil)).Info("x", "value", value)
	hclog.New(&hclog.LoggerOptions{Output: &line}).Info("x", "value", value)
	hclog.New(&hclog.LoggerOptions{Output: &line, JSONFormat: true}).Info("x", "value", value)
	c.look(where+" in a log", line.String())
}

// printed looks at what fmt and log/slog print of a value.
func (c *canaries) printed(where string, value any) {
	c.t.Helper()
	for _, shown := range []any{value, struct{ Inner any }{value}, []any{value}, map[string]any{"x": value}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			c.look(where+" "+verb, fmt.Sprintf(verb, shown))
		}
	}
	var line bytes.Buffer
	slog.New(slog.NewTextHandler(&line, nil)).Info("x", "value", value)
	c.look(where+" in a log", line.String())
}

// wrapping has a value in an unexported field, where fmt calls none of its methods.
// Verbs that do not fit a pointer make it read what is behind one, while that
// changes.
type wrapping struct{ inner any }

// logger returns a logger of everything.
func (c *canaries) logger() mcpclient.Option {
	return mcpclient.WithLogger(hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: writer(func(p []byte) (int, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.log.Write(p)
	})}))
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// logged looks at the log, line by line.
func (c *canaries) logged(where string) {
	c.t.Helper()
	c.mu.Lock()
	text := c.log.String()
	c.log.Reset()
	c.mu.Unlock()
	for line := range strings.Lines(text) {
		c.look(where+": log", line)
	}
}
