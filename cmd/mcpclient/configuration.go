package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
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
		return p.load(p.configFiles...)
	}
	if name := p.findConfiguration(); name != "" {
		return p.load(name)
	}
	self, err := p.executable()
	if err != nil {
		return nil, fmt.Errorf("the demo server is this program, which cannot be found: %w", err)
	}
	lookUp := func(name string) (string, bool) { return self, name == executableVariable }
	return config.ParseWith(config.Options{LookupEnv: lookUp}, "built-in.yaml", defaultConfiguration)
}

// findConfiguration returns the file that the current directory has, "" if there
// is none. That there are more is worth a warning, for only one is read.
func (p *program) findConfiguration() string {
	var found []string
	for _, name := range []string{"mcp.yaml", "mcp.yml", "mcp.toml", "mcp.json"} {
		if _, err := os.Stat(name); err == nil {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return ""
	}
	p.configInUse = found[0]
	if p.isVerbose() {
		p.complain("mcpclient: the configuration is " + found[0])
	}
	if len(found) > 1 {
		p.warn(fmt.Sprintf("%s is used; %s is there too, and not read (--config takes several)",
			found[0], strings.Join(found[1:], ", ")))
	}
	return found[0]
}

// errTimedOut is the cause of what --timeout ended.
var errTimedOut = errors.New("not done within --timeout")

// withClient runs work with a client, within the time that --timeout gives, and
// closes the client.
func (p *program) withClient(ctx context.Context, work func(context.Context, *mcpclient.Client) error) error {
	p.inputs.asking = ctx
	cfg, err := p.configuration()
	if err != nil {
		return err
	}
	options, err := p.clientOptions()
	if err != nil {
		return err
	}
	client, err := mcpclient.New(cfg, options...)
	if err != nil {
		return err
	}
	defer p.close(client)
	for _, problem := range client.Problems() {
		if problem.Server == "" { // those of a server are told when it is used
			p.warn(problem.Error())
		}
	}
	if limit := p.timeout.length; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w %v", errTimedOut, limit))
		defer cancel()
	}
	return p.hinted(client, work(p.onBehalf(ctx), client))
}

// withServer is withClient for one server.
func (p *program) withServer(ctx context.Context, name string, work func(context.Context, *mcpclient.Connection) error) error {
	return p.withClient(ctx, func(ctx context.Context, client *mcpclient.Client) error {
		connection, err := p.connect(client, name)
		if err != nil {
			return err
		}
		return work(ctx, connection)
	})
}

// clientOptions are those of every client: what it logs, and how it answers what
// servers ask.
func (p *program) clientOptions() ([]mcpclient.Option, error) {
	p.output()
	p.bars() // made now, before several goroutines want them
	handlers, err := p.handlers()
	if err != nil {
		return nil, err
	}
	return []mcpclient.Option{
		mcpclient.WithLogger(p.logger()), mcpclient.WithHandlers(handlers), keepingTokens(),
		mcpclient.WithStoreType(typeRedis, aloneStores(sync.OnceFunc(func() { p.warn(notShared) })), factory.RedisKeys{}),
	}, nil
}

// demoServer is the server of the built-in configuration.
const demoServer = "demo"

// connect tells those who miss the demo server where it went.
func (p *program) connect(client *mcpclient.Client, name string) (*mcpclient.Connection, error) {
	connection, err := client.Connect(name)
	if name == demoServer && errors.Is(err, errors.ErrUnknownServer) {
		used := strings.Join(p.configFiles, ", ")
		if used == "" {
			used = p.configInUse
		}
		return nil, fmt.Errorf("%w; the built-in %s is there only where no configuration is: %s is used", err, demoServer, used)
	}
	return connection, err
}

func (p *program) close(client *mcpclient.Client) {
	if err := client.Close(); err != nil && p.isVerbose() {
		p.warn("closing: " + err.Error())
	}
}

func (p *program) logger() hclog.Logger {
	if !p.isVerbose() {
		return hclog.NewNullLogger()
	}
	return hclog.New(&hclog.LoggerOptions{Name: "mcpclient", Level: hclog.Debug, Output: logWriter{p}})
}

// logWriter writes log lines above what is drawn on stderr.
type logWriter struct{ *program }

// Write takes whole lines.
func (w logWriter) Write(lines []byte) (int, error) {
	w.bars().Above(w.errorOutput().Paint(terminal.Dim, terminal.Escape(strings.TrimRight(string(lines), "\n"))))
	return len(lines), nil
}
