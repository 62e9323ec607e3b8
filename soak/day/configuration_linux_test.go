package day

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// extraName is the server that comes and goes. It is the server json once more.
const extraName = "extra"

// configuration is the backend's file.
type configuration struct {
	t      *testing.T
	folder string
	site   string // where the backend serves
	peers  map[string]*peer

	generations map[string]int // of each server; a change makes another one
	extra       bool
	faulty      bool // the section of a further server has a fault
	broken      bool // it is no YAML
	comment     int
	writes      int
	written     time.Time
}

func (c *configuration) path() string { return filepath.Join(c.folder, "mcp.yaml") }

// queueBase plus the generation is a key of each section that changes nothing else.
const queueBase = 1000

// text is the file.
func (c *configuration) text() string {
	self, err := os.Executable()
	require.NoError(c.t, err)
	var text strings.Builder
	fmt.Fprintf(&text, "# %d\ndefaults: {request_timeout: %s, max_request_timeout: 30s, connect_timeout: 10s}\nservers:\n", c.comment, requestTimeout)
	for _, kind := range serverKinds() {
		fmt.Fprintf(&text, "  %s:\n    %s\n    limits: {in_flight: 64, queue: %d, wait: 3s}\n", kind.name, kind.keys, queueBase+c.generations[kind.name])
		if kind.stdio {
			fmt.Fprintf(&text, "    type: stdio\n    command: [%q]\n    shutdown_timeout: 1s\n    env: {%s: %s, %s: %q, GORACE: atexit_sleep_ms=0}\n",
				self, roleVariable, kind.name, noteVariable, filepath.Join(c.folder, "notes"))
			continue
		}
		fmt.Fprintf(&text, "    type: http\n    base_url: %q\n", c.peers[kind.name].proxy.URL())
		if kind.protected {
			fmt.Fprintf(&text, "    auth: {redirect_url: %q}\n", c.site+"/servers/"+kind.name+"/callback")
		}
	}
	if c.extra {
		fmt.Fprintf(&text, "  %s: {type: http, base_url: %q}\n", extraName, c.peers["json"].proxy.URL())
	}
	if c.faulty {
		text.WriteString("  faulty: {type: http, base_ulr: https://mcp.example.com}\n")
	}
	if c.broken {
		text.WriteString("  \"\n")
	}
	return text.String()
}

// write puts the file in place: in the ways in which files are saved, by turns.
func (c *configuration) write() {
	c.writes++
	c.written = time.Now()
	if c.writes%2 == 0 {
		require.NoError(c.t, os.WriteFile(c.path(), []byte(c.text()), 0o600))
		return
	}
	require.NoError(c.t, os.WriteFile(c.path()+"~", []byte(c.text()), 0o600))
	require.NoError(c.t, os.Rename(c.path()+"~", c.path()))
}
