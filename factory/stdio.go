package factory

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// retireMargin is what closing a dead link may take beside its three steps.
const retireMargin = 5 * time.Second

// typeStdio is a child process.
const typeStdio = "stdio"

// stdioKeys are the keys of type stdio. Without supervision a process that died
// is started again by the next call.
type stdioKeys struct {
	stdiolink.Config
	Supervision *supervise.Config   `config:"supervision"`
	HealthCheck session.HealthCheck `config:"health_check"`
	instanceKeys
}

func stdioDefaults(logger hclog.Logger) []stdiolink.Option {
	return []stdiolink.Option{stdiolink.WithLogger(logger)}
}

// newStdio is the Constructor of type stdio: a session over a supervised link to
// a child process.
func newStdio(section *config.Section, build Build) (Blueprint, []errors.Fault) {
	var cfg stdioKeys
	faults := section.Decode(&cfg)
	faults = withChecked(faults, append(cfg.Validate(section), cfg.HealthCheck.Check(section)...))
	faults = withChecked(faults, cfg.instanceKeys.check(section))
	if cfg.Supervision != nil {
		faults = withChecked(faults, cfg.Supervision.Check(section))
	}
	cfg.Command = located(section, cfg.Config)
	options := append(build.Stdio[:len(build.Stdio):len(build.Stdio)],
		stdiolink.WithSecrets(section.Referenced("command", "args", "cwd")...))
	dial := func(context.Context) (transporters.Link, error) {
		return stdiolink.New(build.Server, cfg.Config, options...), nil
	}
	// A link closes in three steps of shutdown_timeout; leave it a little more.
	retireTimeout := 3*cfg.ShutdownTimeout.Or(0) + retireMargin
	retryLost := cfg.Supervision != nil && cfg.Supervision.RetryLostRequests
	opening := build.opening()
	open := func(caller Caller) (transporters.Base, error) {
		link := supervise.New(build.Server, cfg.Supervision, dial,
			supervise.WithLogger(build.Logger),
			supervise.WithTraits(stdiolink.Traits()),
			supervise.WithConnectTimeout(build.Settings.ConnectTimeout.Or(0)),
			supervise.WithRetireTimeout(retireTimeout))
		return opening.session(link, caller,
			opening.remembering(slices.Concat([]string{typeStdio, cfg.Cwd}, cfg.Command, cfg.Args, names(cfg.Env))...),
			session.WithRetryLostRequests(retryLost),
			session.WithHealthCheck(cfg.HealthCheck)), nil
	}
	return Blueprint{Open: cfg.pooled(build, open)}, faults
}

// located is the command with a program that is named by a relative path found
// from the working directory, or, where none is given, from the configuration
// file. A bare name is looked for in PATH.
func located(section *config.Section, cfg stdiolink.Config) config.Words {
	if len(cfg.Command) == 0 || !strings.ContainsAny(cfg.Command[0], "/"+string(filepath.Separator)) {
		return cfg.Command
	}
	if cfg.Cwd != "" && !strings.HasPrefix(cfg.Command[0], "~") {
		return cfg.Command // which is where the system looks
	}
	command := slices.Clone(cfg.Command)
	command[0] = section.Path("command", command[0])
	return command
}
