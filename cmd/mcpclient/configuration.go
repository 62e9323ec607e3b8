package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
)

// defaultConfiguration is used where there is no file.
//
//go:embed default.yaml
var defaultConfiguration []byte

// executableVariable stands in it for the path of this program.
const executableVariable = "MCPCLIENT_EXECUTABLE"

// configuration loads the files that were named, or the one that is there, or
// the built-in one.
func (p *program) configuration() (*config.Config, error) {
	if len(p.configFiles) > 0 {
		return config.Load(p.configFiles...)
	}
	for _, name := range []string{"mcp.yaml", "mcp.yml", "mcp.toml", "mcp.json"} {
		if _, err := os.Stat(name); err == nil {
			return config.Load(name)
		}
	}
	self, err := p.executable()
	if err != nil {
		return nil, fmt.Errorf("the demo server is this program, which cannot be found: %w", err)
	}
	lookUp := func(name string) (string, bool) { return self, name == executableVariable }
	return config.ParseWith(config.Options{LookupEnv: lookUp}, "built-in.yaml", defaultConfiguration)
}

// withClient runs work with a client, within the time that --timeout gives, and
// closes the client.
func (p *program) withClient(ctx context.Context, work func(context.Context, *mcpclient.Client) error) error {
	cfg, err := p.configuration()
	if err != nil {
		return err
	}
	client, err := mcpclient.New(cfg, mcpclient.WithLogger(p.logger()))
	if err != nil {
		return err
	}
	defer p.close(client)
	for _, problem := range client.Problems() {
		if problem.Server == "" { // those of a server are told when it is used
			p.complain("mcpclient: warning: " + problem.Error())
		}
	}
	if p.timeout < 0 {
		return usage("--timeout %v is negative", p.timeout)
	}
	if p.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("not done within --timeout %v", p.timeout))
		defer cancel()
	}
	return work(ctx, client)
}

// withServer is withClient for one server.
func (p *program) withServer(ctx context.Context, name string, work func(context.Context, *mcpclient.Connection) error) error {
	return p.withClient(ctx, func(ctx context.Context, client *mcpclient.Client) error {
		connection, err := client.Connect(name)
		if err != nil {
			return err
		}
		return work(ctx, connection)
	})
}

func (p *program) close(client *mcpclient.Client) {
	if err := client.Close(); err != nil && p.verbose {
		p.complain("mcpclient: warning: closing: " + err.Error())
	}
}

func (p *program) logger() hclog.Logger {
	if !p.verbose {
		return hclog.NewNullLogger()
	}
	return hclog.New(&hclog.LoggerOptions{Name: "mcpclient", Level: hclog.Debug, Output: p.stderr})
}
