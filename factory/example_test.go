package factory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// memoryConfig are the keys of `type: memory`, beyond those of every server.
type memoryConfig struct {
	Greeting string `config:"greeting" default:"hello" doc:"what the server says to its clients"`
}

// newMemory is the constructor of a type whose servers run in this program. It
// checks the section, and says how a connection is opened; nothing is opened yet.
func newMemory(section *config.Section, build factory.Build) (factory.Blueprint, []errors.Fault) {
	var cfg memoryConfig
	if faults := section.Decode(&cfg); len(faults) > 0 {
		return factory.Blueprint{}, faults
	}
	server := mcptest.NewServer(mcptest.WithInstructions(cfg.Greeting))
	open := func(factory.Caller) (transporters.Base, error) { // for each principal
		return session.New(build.Server, build.Settings, server.Link(), build.Session...), nil
	}
	shut := func() error { server.Close(); return nil }
	return factory.Blueprint{Open: open, Close: shut}, nil
}

// A type of one's own: all that is needed is a Link, here one in memory.
func ExampleTransporterFactory_Register() {
	types := factory.New()
	if err := types.Register("memory", newMemory, memoryConfig{}); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  near: {type: memory, greeting: good morning}\n  typo: {type: memory, greting: hi}\n"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcpclient.New(cfg, mcpclient.WithFactory(types))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	fmt.Println(client.Problems()[0])
	near, err := client.Connect("near")
	if err != nil {
		log.Fatal(err)
	}
	info, err := near.ServerInfo(context.Background())
	fmt.Println(info.Instructions, err)
	// Output:
	// mcp.yaml:3:24: server "typo": greting: unknown key; did you mean "greeting"?
	// good morning <nil>
}
