package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// built holds the programs, which all tests share.
var built programs

func TestMain(m *testing.M) {
	work, err := os.MkdirTemp("", "field")
	if err != nil {
		panic(err)
	}
	built, err = build(context.Background(), settings{module: ".."}, work, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.RemoveAll(work)
	os.Exit(code)
}

// played is what a run of the command came to.
type played struct {
	code  int
	lines []string
	last  string
}

func play(t *testing.T, cases string, flags ...string) played {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := append([]string{"-cases", cases, "-player", built.player, "-harness", built.harness}, flags...)
	code := command(t.Context(), args, &stdout, &stderr)
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	assert.Empty(t, stderr.String())
	return played{code: code, lines: lines[:len(lines)-1], last: lines[len(lines)-1]}
}

// caseFile is a case of the repository.
func caseFile(t *testing.T, id string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "cases", id+"-*.json"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

// directoryWith makes a directory with one case of the repository, changed.
func directoryWith(t *testing.T, id string, change func(c map[string]any)) string {
	t.Helper()
	text, err := os.ReadFile(caseFile(t, id))
	require.NoError(t, err)
	var c map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // some cases are about digits
	require.NoError(t, decoder.Decode(&c))
	if change != nil {
		change(c)
	}
	text, err = json.Marshal(c)
	require.NoError(t, err)
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, id+".json"), text, 0o644))
	return directory
}

// wanted is the n-th expectation of a case, of steps or of what the server saw.
func wanted(c map[string]any, which string, n int) map[string]any {
	return c["expect"].(map[string]any)[which].([]any)[n].(map[string]any)
}

func TestGoodCasesPass(t *testing.T) {
	for _, id := range []string{"C01", "C33", "C43"} {
		p := play(t, directoryWith(t, id, nil))
		assert.Zero(t, p.code)
		assert.Equal(t, "1 passed, 0 failed", p.last, id)
		require.Len(t, p.lines, 1, "one line a case")
		assert.True(t, strings.HasPrefix(p.lines[0], "ok    "+id), p.lines[0])
	}
}

func TestReversedExpectationsFail(t *testing.T) {
	for name, test := range map[string]struct {
		id     string
		change func(c map[string]any)
		told   string
	}{
		"http, what the client says": {"C01", func(c map[string]any) { wanted(c, "steps", 2)["ok"] = false }, "step 3 ok is true"},
		"http, what the server sees": {"C01", func(c map[string]any) { wanted(c, "seen", 0)["max"] = 1 }, "seen: two handshakes (2 seen)"},
		"stdio, a refused result":    {"C33", func(c map[string]any) { wanted(c, "steps", 1)["ok"] = true }, "step 2 ok is false (closed"},
		"stdio, a kind":              {"C33", func(c map[string]any) { wanted(c, "steps", 1)["kinds"] = []string{"rpc"} }, `step 2 kind "closed" not of [rpc]`},
		"stdio, processes":           {"C33", func(c map[string]any) { wanted(c, "seen", 0)["min"] = 4 }, "seen: three processes in all (3 seen)"},
		"a digit":                    {"C43", func(c map[string]any) { wanted(c, "steps", 1)["raw_contains"] = "9007199254740992" }, "result lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, directoryWith(t, test.id, test.change))
			assert.Equal(t, 1, p.code)
			assert.Equal(t, "0 passed, 1 failed", p.last)
			require.Len(t, p.lines, 1)
			assert.True(t, strings.HasPrefix(p.lines[0], "FAIL  "+test.id), p.lines[0])
			assert.Contains(t, p.lines[0], test.told)
		})
	}
}

func TestAClientThatDoesNothingFailsEveryCase(t *testing.T) {
	nothing, err := exec.LookPath("true")
	require.NoError(t, err)
	empty := filepath.Join(t.TempDir(), "none")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	p := play(t, filepath.Join("..", "cases"), "-harness", nothing, "-known", empty)
	assert.Equal(t, 1, p.code)
	for _, line := range p.lines {
		assert.True(t, strings.HasPrefix(line, "FAIL ") || strings.HasPrefix(line, "n/a "), line)
	}
	assert.Regexp(t, `^0 passed, \d+ failed$`, p.last)
}

func TestNeeds(t *testing.T) {
	p := play(t, directoryWith(t, "C01", func(c map[string]any) { c["needs"] = []string{"stdio restart", "skills"} }))
	assert.Zero(t, p.code)
	assert.Equal(t, "0 passed, 0 failed", p.last)
	assert.Contains(t, p.lines[0], "n/a   C01")
	assert.Contains(t, p.lines[0], "needs skills, which the product does not have")

	p = play(t, directoryWith(t, "C01", func(c map[string]any) { c["needs"] = []string{"stdio restart", "never heard of"} }))
	assert.Equal(t, "1 passed, 0 failed", p.last, "what nobody knows is no excuse")
}

func TestKnownFailuresAreExact(t *testing.T) {
	reversed := func(c map[string]any) { wanted(c, "steps", 2)["ok"] = false }
	for name, test := range map[string]struct {
		change     func(c map[string]any)
		list, last string
		line, told string
		flags      []string
	}{
		"a failure is excused":             {reversed, "C01 # soon\n", "0 passed, 0 failed, 1 known failures", "KNOWN C01", "(soon)", nil},
		"what passes must not be listed":   {nil, "# a heading\n\nC01 # soon\n", "0 passed, 1 failed, 0 known failures", "FAIL  C01", "passes: remove it from known-failures", nil},
		"what is not there must not be":    {nil, "C99 # gone\n", "1 passed, 1 failed, 0 known failures", "ok    C01", "", nil},
		"what does not apply must not be":  {func(c map[string]any) { c["needs"] = []string{"skills"} }, "C01\n", "0 passed, 1 failed, 0 known failures", "FAIL  C01", "does not apply: remove it", nil},
		"a list without entries says none": {nil, "# nothing\n", "1 passed, 0 failed", "ok    C01", "", nil},
		"leaks are not excused":            {nil, "C01 # soon\n", "0 passed, 1 failed, 0 known failures", "FAIL  C01", "leak: a tap", []string{"-harness", script(t, "echo 'leak: a tap'; exit 1")}},
	} {
		t.Run(name, func(t *testing.T) {
			directory := directoryWith(t, "C01", test.change)
			require.NoError(t, os.WriteFile(filepath.Join(directory, "known-failures"), []byte(test.list), 0o644))
			p := play(t, directory, test.flags...)
			assert.Equal(t, test.last, p.last)
			assert.True(t, strings.HasPrefix(p.lines[0], test.line), p.lines[0])
			assert.Contains(t, p.lines[0], test.told)
			if strings.Contains(test.last, "1 failed") {
				assert.Equal(t, 1, p.code)
			} else {
				assert.Zero(t, p.code)
			}
		})
	}
}

// script makes a program in place of the harness.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return path
}

func TestDataRacesAndCrashesFail(t *testing.T) {
	for told, text := range map[string]string{
		"1 data races":                           "echo 'WARNING: DATA RACE' >&2; exit 66",
		"the harness failed: exit status 2: boo": "echo boo >&2; exit 2",
	} {
		p := play(t, directoryWith(t, "C43", nil), "-harness", script(t, built.harness+` "$@"; `+text))
		assert.Equal(t, "0 passed, 1 failed", p.last)
		assert.Contains(t, p.lines[0], told)
	}
}

func TestAHangIsEndedFromOutside(t *testing.T) {
	directory := directoryWith(t, "C43", func(c map[string]any) {
		c["client"].([]any)[1] = map[string]any{"step": 2, "do": "wait", "wait_ms": 60_000}
	})
	keep := t.TempDir()
	begun := time.Now()
	p := play(t, directory, "-limit", "1s", "-keep", keep)
	assert.Less(t, time.Since(begun), 20*time.Second)
	assert.Equal(t, "0 passed, 1 failed", p.last)
	assert.Contains(t, p.lines[0], "still running after 1s")
	assert.Contains(t, p.lines[0], "step 2: no outcome")
	stacks, err := os.ReadFile(filepath.Join(keep, "C43", "harness.stderr"))
	require.NoError(t, err)
	assert.Contains(t, string(stacks), "(*harness).wait", "where it hung can be seen")
}

func TestAPlayerThatDoesNotPlayFails(t *testing.T) {
	p := play(t, directoryWith(t, "C01", nil), "-player", script(t, "exit 3"))
	assert.Equal(t, "0 passed, 1 failed", p.last)
	assert.Contains(t, p.lines[0], "the player ended before it listened: exit status 3")
}

func TestMarkdown(t *testing.T) {
	directory := directoryWith(t, "C43", func(c map[string]any) { c["title"] = "a | b" })
	table := filepath.Join(t.TempDir(), "table.md")
	play(t, directory, "-markdown", table)
	text, err := os.ReadFile(table)
	require.NoError(t, err)
	assert.Equal(t, "| case | transport | what it shows | result |\n|---|---|---|---|\n"+
		`| C43 | http | a \| b | passed |`+"\n\n1 passed, 0 failed.\n", string(text))
}

func TestUnplayableIsNoSuccess(t *testing.T) {
	for name, args := range map[string][]string{
		"no cases":     {"-cases", t.TempDir()},
		"no directory": {"-cases", "none"},
		"a bad flag":   {"-nonsense"},
		"an argument":  {"C01"},
		"no player":    {"-cases", "../cases", "-harness", built.harness, "-player", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			assert.Equal(t, 2, command(t.Context(), args, &stdout, &stderr))
			assert.NotEmpty(t, stderr.String())
			assert.NotContains(t, stdout.String(), "passed")
		})
	}
}

// What C39 leaves to be looked at: see its "after".
func TestWorkingDirectoryAndPathReachTheProcess(t *testing.T) {
	keep := t.TempDir()
	p := play(t, caseFile(t, "C39"), "-keep", keep)
	assert.Equal(t, "1 passed, 0 failed", strings.SplitAfter(p.last, "failed")[0])
	log, err := os.ReadFile(filepath.Join(keep, "C39-config-spawn", "log"))
	require.NoError(t, err)
	var start struct {
		Ev, Cwd string
		Env     map[string]string
	}
	require.NoError(t, json.NewDecoder(bytes.NewReader(log)).Decode(&start))
	assert.Equal(t, "start", start.Ev)
	assert.Equal(t, filepath.Join(keep, "C39-config-spawn", "files", "work dir"), start.Cwd)
	assert.Equal(t, os.Getenv("PATH"), start.Env["PATH"])
}
