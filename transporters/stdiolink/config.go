package stdiolink

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/process"
)

// Defaults of Config, which a zero value takes on in New as well.
const (
	DefaultMaxLineBytes    = 32 << 20
	DefaultShutdownTimeout = 5 * time.Second
)

// Limits of Config.
const (
	minLineBytes    = 4 << 10
	maxStartupDelay = time.Minute
)

// Config is the part of a server's configuration that concerns its process.
type Config struct {
	// Command is the program with its arguments; there is no shell. A program
	// without a slash is looked for in the PATH that the process will have.
	Command config.Words `config:"command,required" doc:"program and arguments as a list, or the program alone; no shell is used"`
	// Args are added to Command.
	Args []string `config:"args" doc:"arguments added to command"`
	// Cwd is the working directory; empty is this program's own.
	Cwd string `config:"cwd,path" doc:"working directory; absent: that of this program"`
	// Env is put on top of what InheritEnv lets through. The values are resolved
	// at each start of the process.
	Env map[string]config.Secret `config:"env" doc:"environment variables, on top of the inherited ones"`
	// EnvFile is a file of variables, beneath Env. It is read at each start of the
	// process.
	EnvFile config.EnvFile `config:"env_file" doc:"file of lines NAME=value, beneath env; read at each start of the process"`
	// InheritEnv says what the process gets of this program's environment.
	InheritEnv InheritEnv `config:"inherit_env" default:"safe" values:"safe,all,none,true,false" doc:"what the process inherits of the environment: safe (a short list without secrets: PATH, HOME, LANG, ...), all or true, none or false"`
	// MaxLineBytes bounds one inbound line; a longer one ends the link.
	// 0 means DefaultMaxLineBytes.
	MaxLineBytes int `config:"max_line_bytes" default:"33554432" doc:"longest line from the server, in bytes; a longer one ends the process"`
	// ShutdownTimeout is the wait after each step of ending the process.
	// Absent means DefaultShutdownTimeout.
	ShutdownTimeout config.Duration `config:"shutdown_timeout" default:"5s" doc:"wait after closing stdin, and again after SIGTERM, before SIGKILL"`
	// ProcessTimeout ends the process when it has run for so long, whatever it
	// is doing. Absent and off mean never.
	ProcessTimeout config.Duration `config:"process_timeout" default:"off" doc:"whole life of the process"`
	// StartupDelay is waited after the process was started, before anything is
	// written to it. Absent means 0.
	StartupDelay config.Duration `config:"startup_delay,zero" default:"0s" doc:"wait between the start of the process and the first message"`
	// PollInterval is accepted for the sake of old configurations and ignored.
	PollInterval any `config:"poll_interval" doc:"ignored: nothing is polled"`
}

// InheritEnv says how much of this program's environment a process gets.
type InheritEnv string

// The values of InheritEnv; the zero value means InheritSafe.
const (
	InheritSafe InheritEnv = "safe"
	InheritAll  InheritEnv = "all"
	InheritNone InheritEnv = "none"
)

// UnmarshalConfig reads safe, all, none, true (all) or false (none).
func (i *InheritEnv) UnmarshalConfig(v any) error {
	text, err := config.OneOf(v, "safe", "all", "none", "true", "false")
	if err != nil {
		return err
	}
	switch text {
	case "true":
		*i = InheritAll
	case "false":
		*i = InheritNone
	default:
		*i = InheritEnv(text)
	}
	return nil
}

func (i InheritEnv) mode() process.Inherit {
	switch i {
	case InheritAll:
		return process.InheritAll
	case InheritNone:
		return process.InheritNone
	default:
		return process.InheritSafe
	}
}

// Validate returns the faults that decoding cannot find, with their places in
// section. It looks at no file and starts nothing.
func (c Config) Validate(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	report := func(key, message, allowed string) {
		fault := section.Fault(key, message)
		fault.Allowed = allowed
		faults = append(faults, fault)
	}
	if len(c.Command) > 0 && strings.TrimSpace(c.Command[0]) == "" {
		report("command", "the first element, the program, is empty", "a program and its arguments")
	}
	for key, words := range map[string][]string{"command": c.Command, "args": c.Args} {
		if slices.ContainsFunc(words, hasNUL) {
			report(key, "an element contains a NUL byte", "text without NUL bytes")
		}
	}
	if hasNUL(c.Cwd) {
		report("cwd", "the path contains a NUL byte", "text without NUL bytes")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if name == "" || strings.Contains(name, "=") || hasNUL(name) {
			// What stands behind = is likely to be the value.
			beginning, _, _ := strings.Cut(name, "=")
			report("env", fmt.Sprintf("%q cannot begin the name of a variable, or the name has = or NUL in it", beginning), "a name without = and NUL")
		}
	}
	if c.MaxLineBytes != 0 && c.MaxLineBytes < minLineBytes {
		report("max_line_bytes", "too small for a message", fmt.Sprintf("%d or more", minLineBytes))
	}
	if c.ShutdownTimeout.IsOff() {
		report("shutdown_timeout", "the wait for a process to end cannot be without limit", "a duration")
	}
	if delay, ok := c.StartupDelay.Value(); ok && delay > maxStartupDelay {
		report("startup_delay", "longer than a minute; a number without unit counts seconds, not milliseconds", "0 to 1m, for example 100ms")
	}
	slices.SortFunc(faults, func(a, b errors.Fault) int { return strings.Compare(a.Key, b.Key) })
	return faults
}

func hasNUL(text string) bool { return strings.ContainsRune(text, 0) }

// spec returns what to start, with the secrets resolved now. hidden are texts
// within the command that must not be shown.
func (c Config) spec(environ, hidden []string, stderr func(line string)) (process.Spec, error) {
	extra, err := c.EnvFile.Variables()
	if err != nil {
		return process.Spec{}, fmt.Errorf("env_file: %w", err)
	}
	if extra == nil {
		extra = make(map[string]string, len(c.Env))
	}
	for name, secret := range c.Env {
		value, err := secret.Reveal()
		if err != nil {
			return process.Spec{}, fmt.Errorf("env.%s: %w", name, err)
		}
		extra[name] = value
	}
	command := slices.Concat(c.Command, c.Args)
	return process.Spec{
		Command: command,
		Dir:     c.Cwd,
		Env:     process.Environment(c.InheritEnv.mode(), extra, environ),
		Secrets: append(process.Secrets(extra, hidden, environ), process.SecretArgs(command)...),
		Stderr:  stderr,
	}, nil
}

func (c Config) maxLineBytes() int {
	if c.MaxLineBytes <= 0 {
		return DefaultMaxLineBytes
	}
	return c.MaxLineBytes
}

func (c Config) shutdownTimeout() time.Duration {
	if step, ok := c.ShutdownTimeout.Value(); ok {
		return step
	}
	return DefaultShutdownTimeout
}
