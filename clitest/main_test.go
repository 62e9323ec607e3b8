package clitest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// update makes tests write what they would compare.
var update = flag.Bool("update", false, "write the golden files and the transcript of docs/cli.md")

// binaries is the folder of the built command.
var binaries string

// asWitness, in the environment of this test program, makes it a server over
// stdio that writes into the file of that name what happens to its calls.
const asWitness = "CLITEST_WITNESS"

func TestMain(m *testing.M) {
	if file := os.Getenv(asWitness); file != "" {
		if err := witness(file).ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var err error
	if binaries, err = os.MkdirTemp("", "clitest"); err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-o", binaries, "./cmd/mcpclient")
	build.Dir = ".."
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building mcpclient: %v\n%s", err, output)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// witness is a server whose tool wait waits until its call is cancelled, and ask
// asks its user for a name.
func witness(file string) *mcptest.Server {
	note := func(text string) {
		opened, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = fmt.Fprintln(opened, text)
			_ = opened.Close()
		}
	}
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, call *mcptest.Call) (any, error) {
		note("called")
		call.Progress(1, 4, "waiting")
		<-ctx.Done()
		note("cancelled")
		return nil, ctx.Err()
	})
	server.AddTool(mcp.Tool{Name: "stubborn"}, func(ctx context.Context, call *mcptest.Call) (any, error) {
		call.Progress(1, 4, "waiting")
		select {}
	})
	server.AddTool(mcp.Tool{Name: "ask"}, ask)
	return server
}

func ask(_ context.Context, call *mcptest.Call) (any, error) {
	const form = `{"message":"Who are you?","requestedSchema":{"type":"object","properties":{` +
		`"name":{"type":"string","title":"Your name","minLength":2},"color":{"type":"string","enum":["red","green"],"default":"red"}},"required":["name"]}}`
	if call.Version != mcp.Version20260728 {
		answer, err := call.Request(mcp.MethodElicit, json.RawMessage(form))
		return string(answer), err
	}
	var given struct {
		InputResponses map[string]json.RawMessage `json:"inputResponses"`
	}
	if err := json.Unmarshal(call.Params, &given); err != nil {
		return nil, err
	}
	if answer, found := given.InputResponses["q"]; found {
		return string(answer), nil
	}
	return json.RawMessage(`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":` + form + `}}}`), nil
}

// folderWith returns a new folder with files.
func folderWith(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// witnessConfiguration has the witness as a server, of one era.
func witnessConfiguration(t *testing.T, era, file string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return fmt.Sprintf("servers:\n  witness: {type: stdio, protocol: %s, command: [%q], env: {%s: %q, GORACE: atexit_sleep_ms=0}}\n", era, self, asWitness, file)
}

// command is the built program in a folder.
func command(folder string, arguments ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(binaries, "mcpclient"), arguments...)
	c.Dir = folder
	c.Env = append(os.Environ(), "TERM=xterm", "XDG_CACHE_HOME="+folder)
	return c
}

// exitCode returns how a command ended.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	require.NoError(t, err)
	return 0
}
