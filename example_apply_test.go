package mcpclient_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
)

// Another configuration is put in force while calls are made. Faults are told, and
// change nothing.
func ExampleClient_Apply() {
	client, err := mcpclient.New(mustParse(`
servers:
  tracker: {type: http, base_url: "https://tracker.example.com/mcp"}
  wiki: {type: http, base_url: "https://wiki.example.com/mcp"}
  files: {type: stdio, command: [files-server]}
`))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()

	change, err := client.Apply(mustParse(`
servers:
  tracker: {type: http, base_url: "https://tracker.example.com/mcp"}
  wiki: {type: http, base_url: "https://wiki.example.com/v2/mcp"}
  files: {type: stdio, command: files-server --read-only}
  search: {type: http, base_url: "https://search.example.com/mcp"}
`))
	fmt.Println(change, err)
	for _, problem := range client.Problems() {
		fmt.Println(problem)
	}
	// Output:
	// added search; changed wiki; refused files; 1 unchanged <nil>
	// mcp.yaml:5:24: server "files": command: a list of words is wanted, since no shell is used that would split a string; found a string; allowed: a list, such as [first, second]
	// mcp.yaml:5:3: server "files": the section is refused: the server goes on as it was configured before
}

// A server that is in no file, such as one that a user has registered.
func ExampleClient_AddServer() {
	client, err := mcpclient.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	_, err = client.AddServer("acme", map[string]any{"type": "http", "base_url": "https://mcp.acme.example"})
	fmt.Println(client.Servers(), err)
	_, err = client.AddServer("typo", map[string]any{"type": "htp", "base_url": "https://mcp.acme.example"})
	fmt.Println(err)
	// Output:
	// [acme] <nil>
	// server "typo": type: unknown type; found htp; allowed: http, sse, stdio; did you mean "http"?
}

func mustParse(text string) *config.Config {
	cfg, err := config.Parse("mcp.yaml", []byte(text))
	if err != nil {
		log.Fatal(err)
	}
	return cfg
}

// The configuration file of a running program is watched. What its changes did is
// told here, and logged.
func ExampleClient_Watch() {
	folder, err := os.MkdirTemp("", "mcpclient")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "mcp.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	write("servers:\n  wiki: {type: http, base_url: 'https://wiki.example.com/mcp'}\n")

	cfg, err := config.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcpclient.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }() // ends the watcher as well
	changes := make(chan mcpclient.Change)
	_, err = client.Watch(context.Background(), cfg, config.WatchOptions{}, func(change mcpclient.Change, err error) {
		if err != nil {
			log.Print("the file is not used: ", err)
			return
		}
		changes <- change
	})
	if err != nil {
		log.Fatal(err)
	}

	write("servers:\n  wiki: {type: http, base_url: 'https://wiki.example.com/v2/mcp'}\n  search: {type: http, base_url: 'https://search.example.com/mcp'}\n")
	fmt.Println(<-changes)
	// Output: added search; changed wiki
}
