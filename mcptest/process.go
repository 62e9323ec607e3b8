package mcptest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// processVariable tells a process that it is to be a server, and which.
const processVariable = "MCPTEST_SERVER"

// ServeProcess makes the test binary be a server where Process asks for one: it
// serves on stdin and stdout and ends the process, with a status other than 0 if
// the client broke the protocol, which then stands on stderr. In any other
// process it returns at once. Call it first in TestMain:
//
//	func TestMain(m *testing.M) {
//		mcptest.ServeProcess(map[string]func() *mcptest.Server{
//			"files": newFilesServer,
//		})
//		os.Exit(m.Run())
//	}
func ServeProcess(servers map[string]func() *Server) {
	name, asked := os.LookupEnv(processVariable)
	if !asked {
		return
	}
	newServer, known := servers[name]
	if !known {
		fmt.Fprintf(os.Stderr, "mcptest: this binary has no server %q\n", name)
		os.Exit(2)
	}
	os.Exit(serveProcess(newServer()))
}

func serveProcess(server *Server) (status int) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	defer server.Close()
	if err := server.ServeStdio(ctx, os.Stdin, os.Stdout); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, violation := range server.Violations() {
		fmt.Fprintln(os.Stderr, "the client broke the protocol:", violation)
		status = 3
	}
	return status
}

// Process returns the section of a server of type stdio that runs this very test
// binary as the named server of ServeProcess: a real process, with nothing to
// build or install. Further keys may be added to the map.
func Process(t TB, name string) map[string]any {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatalf("cannot tell the test binary: %v", err)
	}
	return map[string]any{
		"type":    "stdio",
		"command": []string{executable},
		"env": map[string]any{
			processVariable: name,
			"GORACE":        "atexit_sleep_ms=0", // else each exit takes a second under the race detector
		},
	}
}
