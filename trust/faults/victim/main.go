// Command victim is the client under attack: it lists the tools of the server
// hostile, calls one, calls the server honest, and prints what came of it.
//
//	victim CONFIG [all]
//
// With all, every tool that was listed is called, instead of echo.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/trust/faults/outcome"
)

func main() {
	seen, err := run(os.Args[1], len(os.Args) > 2)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		log.Fatal(err)
	}
}

func run(path string, all bool) (*outcome.Outcome, error) {
	cfg, err := config.Load(path)
	if err != nil {
		return nil, err
	}
	client, err := mcpclient.New(cfg)
	if err != nil {
		return nil, err
	}
	hostile, err := client.Connect("hostile")
	if err != nil {
		return nil, err
	}
	honest, err := client.Connect("honest")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	began := time.Now()
	seen := &outcome.Outcome{}
	names := []string{"echo"}
	tools, err := hostile.Tools(ctx)
	seen.List = failure(err)
	if err == nil {
		seen.Tools = tools.Len()
		if all {
			names = tools.Keys()
		}
	}
	for _, name := range names {
		text, err := echo(ctx, hostile, name, "hostile")
		seen.Call, seen.Text = failure(err), text
	}
	// What a call leaves behind must not be taken for the answer of the next.
	text, err := echo(ctx, hostile, "echo", "again")
	seen.Again, seen.AgainText = failure(err), text
	seen.Took = time.Since(began)
	if seen.Honest, err = echo(ctx, honest, "echo", "honest"); err != nil {
		seen.Honest = err.Error()
	}
	began = time.Now()
	seen.Close = failure(client.Close())
	seen.Closing = time.Since(began)
	seen.Memory, err = peak()
	return seen, err
}

// echo calls a tool; events are taken as a program would that shows them.
func echo(ctx context.Context, connection *mcpclient.Connection, tool, text string) (string, error) {
	result, err := connection.CallTool(ctx, tool, map[string]any{"text": text}, mcpclient.OnProgress(func(mcp.Progress) {}))
	if err != nil {
		return "", err
	}
	return result.Text(), nil
}

// failure is an error as its reader sees it, with the sentinels that it matches.
func failure(err error) *outcome.Failure {
	if err == nil {
		return nil
	}
	f := &outcome.Failure{Text: fmt.Sprintf("%v\n%+v", err, err)}
	for name, sentinel := range outcome.Sentinels() {
		if errors.Is(err, sentinel) {
			f.Is = append(f.Is, name)
		}
	}
	if request, is := errors.AsType[*errors.TransporterRequestError](err); is {
		f.Kind = fmt.Sprint(request.Kind)
	}
	return f
}

// peak is the most memory that this process had, in MiB. What the parent learns
// from the operating system counts its own pages in, up to the exec.
func peak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0, errors.New("/proc/self/status does not tell the peak")
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	return kib >> 10, err
}
