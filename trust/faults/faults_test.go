//go:build linux

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/trust/faults/outcome"
)

const (
	// scenarioVariable turns this binary into the process of a scenario.
	scenarioVariable = "FAULTS_SCENARIO"
	// usualMemory is what the victim may take at its peak, in MiB: its program
	// and three times the largest message (32 MiB), which is read, copied once
	// where it grows, and decoded.
	usualMemory = 220
	// longestText is what an error may say in both of its forms, in bytes.
	longestText = 16 << 10
	// longestRun is what the limits of time in the configuration leave.
	longestRun = 75 * time.Second
)

// victim is the path of the program under attack.
var victim string

func TestMain(m *testing.M) {
	if name := os.Getenv(scenarioVariable); name != "" {
		time.AfterFunc(time.Minute, func() { os.Exit(99) })
		playStdio(find(name))
		os.Exit(0)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "victim")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	victim = filepath.Join(folder, "victim")
	// Without the race detector, which costs memory of its own.
	if output, err := exec.Command("go", "build", "-o", victim, "./victim").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("building the victim: %v\n%s", err, output))
	}
	return m.Run()
}

func everyScenario() []scenario {
	return slices.Concat(scenarios(), stdioScenarios(), httpScenarios())
}

func find(name string) scenario {
	for _, s := range everyScenario() {
		if s.name == name {
			return s
		}
	}
	return scenario{name: "honest"}
}

// Whatever a server does, the client ends its calls with a typed error in bounded
// time and memory, shows nothing of it unescaped, and serves others (P101, P103).
func TestHostileServers(t *testing.T) {
	for _, s := range everyScenario() {
		for _, transport := range []string{"http", "stdio"} {
			if s.over != "" && s.over != transport {
				continue
			}
			t.Run(s.name+"/"+transport, func(t *testing.T) {
				t.Parallel()
				attack(t, s, transport)
			})
		}
	}
}

func attack(t *testing.T, s scenario, transport string) {
	endpoint := httptest.NewServer(serve(s))
	t.Cleanup(endpoint.CloseClientConnections)
	seen, printed := runVictim(t, hostileKeys(t, s, transport, endpoint.URL), s.all)

	assertFailure(t, "tools/list", s.list, seen.List)
	assertFailure(t, "tools/call", s.call, seen.Call)
	if seen.Call == nil && s.call == "" && !s.all {
		assert.Equal(t, "hostile", seen.Text, "the answer is that of the call")
	}
	if seen.Again == nil {
		assert.Equal(t, "again", seen.AgainText, "the next call has its own answer")
	}
	assert.Equal(t, "honest", seen.Honest, "the other server is not troubled")
	assert.Less(t, seen.Took, longestRun)
	assert.Less(t, seen.Closing, 15*time.Second)
	bound := s.memory
	if bound == 0 {
		bound = usualMemory
	}
	assert.LessOrEqual(t, seen.Memory, bound, "MiB at the peak")
	t.Logf("%d MiB, %v", seen.Memory, seen.Took.Round(time.Millisecond))
	assert.Less(t, len(printed), 1<<20, "what is printed is bounded")
	assertNoControls(t, printed)
}

// assertFailure compares an error with the names of what it may be.
func assertFailure(t *testing.T, what, want string, got *outcome.Failure) {
	t.Helper()
	wanted := strings.Split(want, "|")
	if got == nil {
		assert.Contains(t, wanted, "", "%s did not fail", what)
		return
	}
	ok := slices.ContainsFunc(append(got.Is, got.Kind), func(name string) bool { return slices.Contains(wanted, name) })
	assert.True(t, ok, "%s: want %q, got %v %s: %.2000s", what, want, got.Is, got.Kind, got.Text)
	assert.NotEmpty(t, got.Kind, "%s: an error of the type that all requests fail with: %.2000s", what, got.Text)
	assert.Less(t, len(got.Text), longestText, what)
	assertNoControls(t, got.Text)
}

func assertNoControls(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x202e {
			t.Errorf("control character %U in %.500q", r, text)
			return
		}
	}
}

// hostileKeys is the section of the server that plays the scenario.
func hostileKeys(t *testing.T, s scenario, transport, url string) string {
	t.Helper()
	keys := "    type: http\n    base_url: " + url + "\n    read_timeout: 3s\n"
	if transport == "stdio" {
		program, err := os.Executable()
		require.NoError(t, err)
		keys = fmt.Sprintf("    type: stdio\n    command: [%q]\n    env: {%s: %q}\n    shutdown_timeout: 1s\n", program, scenarioVariable, s.name)
	}
	if strings.Contains(s.call, "timeout") {
		// Where time decides it is short; elsewhere a busy machine has as much as
		// it needs.
		keys += "    request_timeout: 2s\n    max_request_timeout: 3s\n"
	}
	return keys
}

// runVictim runs the client and returns what it saw and what it printed.
func runVictim(t *testing.T, hostile string, all bool) (seen outcome.Outcome, printed string) {
	t.Helper()
	honest := httptest.NewServer(serve(scenario{}))
	t.Cleanup(honest.Close)
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	text := "defaults: {request_timeout: 30s, max_request_timeout: 30s, connect_timeout: 20s, probe_timeout: 5s}\n" +
		"servers:\n  hostile:\n" + hostile + "  honest:\n    type: http\n    base_url: " + honest.URL + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	args := []string{path}
	if all {
		args = append(args, "all")
	}
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, victim, args...)
	command.Stdout, command.Stderr, command.WaitDelay = &stdout, &stderr, time.Second
	require.NoError(t, command.Run(), "%.4000s", stderr.String())
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &seen), "%.4000s", stdout.String())
	return seen, stderr.String()
}
