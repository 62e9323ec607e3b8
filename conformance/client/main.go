// Command client is what the conformance suite drives: a program that uses
// this project's public API as a backend would, knowing a server's URL and
// nothing else.
//
// The suite starts it anew for every scenario, with the URL as the last
// argument and the scenario's name in MCP_CONFORMANCE_SCENARIO. The name
// chooses what is put in (which tools are called with which arguments, which
// credentials and handlers exist), never how the library behaves: that is
// always its default, the protocol's version negotiated. See scenarios.go.
//
// The exit status is 0 only if everything that the scenario asks for worked.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// lifetime bounds the whole program; no scenario needs more than a few seconds.
// It is shorter than the suite's own limit, so that a hang is reported by the
// one who knows where.
const lifetime = 20 * time.Second

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: MCP_CONFORMANCE_SCENARIO=name client URL")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	err := play(ctx, os.Getenv("MCP_CONFORMANCE_SCENARIO"), os.Getenv("MCP_CONFORMANCE_CONTEXT"), os.Args[len(os.Args)-1])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play does what the scenario asks for against the server at url; extra is what
// the suite gave beside the name. Every step is taken even if one before it
// failed, so that the suite sees all there is to see; the errors are joined.
func play(ctx context.Context, name, extra, url string) (failure error) {
	suite, err := parseSuiteContext(extra)
	if err != nil {
		return err
	}
	scenario, known := scenarios(suite)[name]
	if !known {
		return fmt.Errorf("scenario %q is not in scenarios.go", name)
	}
	section := map[string]any{"type": "http", "base_url": url}
	if scenario.auth != nil {
		section["auth"] = scenario.auth
	}
	cfg, err := config.FromServers(map[string]any{"suite": section})
	if err != nil {
		return err
	}
	client, err := mcpclient.New(cfg, mcpclient.WithHandlers(scenario.handlers), mcpclient.WithInteraction(consent), mcpclient.WithLogger(hclog.New(&hclog.LoggerOptions{
		Level:  hclog.Debug,
		Output: os.Stderr,
	})))
	if err != nil {
		return err
	}
	defer func() { failure = errors.Join(failure, client.Close()) }()
	server, err := client.Connect("suite")
	if err != nil {
		return err
	}
	for _, take := range scenario.steps {
		failure = errors.Join(failure, take(ctx, server))
	}
	return failure
}
