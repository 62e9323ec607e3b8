package mcptest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

// A wrapper records what a real server says, and a transporter replays it.
func ExampleReplay() {
	folder, _ := os.MkdirTemp("", "cassettes")
	defer func() { _ = os.RemoveAll(folder) }()
	cassette := filepath.Join(folder, "weather.jsonl")

	recording := new(exampleTB) // the *testing.T of a test that records
	server := mcptest.NewTransporter(recording)
	server.Expect("tools/call").Return(`{"content":[{"type":"text","text":"sunny"}]}`)
	record := mcptest.Record(recording, cassette, mcptest.WithSecrets("s3cr3t-key"))
	_, _ = weather{record(server)}.in(context.Background(), "Bern")
	recording.end() // writes the cassette

	t := new(exampleTB) // the *testing.T of a test that replays
	defer t.end()
	fmt.Println(weather{mcptest.Replay(t, cassette)}.in(context.Background(), "Bern"))
	loose := weather{mcptest.Replay(t, cassette, mcptest.Loosely())}
	for range 2 {
		fmt.Println(loose.in(context.Background(), "Bern"))
	}
	// Output:
	// sunny <nil>
	// sunny <nil>
	// sunny <nil>
}

// A program records without a test, and says what of it is secret.
func ExampleNewRecorder() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	folder, _ := os.MkdirTemp("", "cassettes")
	defer func() { _ = os.RemoveAll(folder) }()
	server := mcptest.NewTransporter(t)
	server.Expect("tools/call").Return(`{"content":[{"type":"text","text":"key s3cr3t-key, patient 756.1234"}],"patient":"756.1234"}`)

	recorder := mcptest.NewRecorder(filepath.Join(folder, "weather.jsonl"),
		mcptest.WithSecrets("s3cr3t-key"), mcptest.WithSecretMembers("patient"))
	_, _ = weather{recorder.Wrap(server)}.in(context.Background(), "Bern")
	if err := recorder.Save(); err != nil {
		fmt.Println(err)
	}
	text, _ := os.ReadFile(filepath.Join(folder, "weather.jsonl"))
	fmt.Print(string(text))
	// Output:
	// {"cassette":1}
	// {"call":1,"group":1,"action":"tools/call","params":{"arguments":{"city":"Bern"},"name":"weather"}}
	// {"call":1,"answer":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"key ***, patient ***"}],"patient":"***"}}}
}
