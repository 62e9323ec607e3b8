package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/form"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
)

// program is one run of the command line.
type program struct {
	inputs inputs

	stdin          io.Reader
	stdout, stderr io.Writer
	executable     func() (string, error) // the path of this program

	authorization

	// What tests replace; nil is the real thing.
	lookupEnv func(name string) (string, bool)
	cacheDir  func() (string, error)

	configFiles []string
	configInUse string // the file that was found, "" for those of --config and for the built-in one
	json        bool
	timeout     timeoutFlag
	verbose     bool
	quiet       bool
	color       terminal.Color
	logLevel    levelFlag
	roots       []string

	completing bool // for a shell, which waits

	out, err  *terminal.Output // made when they are first used
	shown     *terminal.Bars
	questions *form.Asker
	logged    quiescence
}

// run executes the command line and returns the exit code.
func (p *program) run(ctx context.Context, arguments []string) int {
	root := p.rootCommand()
	root.SetArgs(arguments)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	command, err := root.ExecuteContextC(ctx)
	return p.end(ctx, command, err)
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpclient",
		Short: "Talk to the MCP servers of a configuration file",
		Long: "Talk to the MCP servers of a configuration file: --config, or mcp.yaml, mcp.yml, mcp.toml or mcp.json in the\n" +
			"current directory, or else a built-in one whose server 'demo' is this program itself.\n\n" +
			"Exit codes: 0 success, 1 failure (a tool that reports an error is one), 2 wrong usage or configuration, 3 the server\n" +
			"answered with an error, 4 it cannot be reached, 5 too slow, 6 authorization; see 'mcpclient help exit-codes'.",
		Example: "  mcpclient call demo echo text=hello\n" +
			"  mcpclient tools demo\n" +
			"  mcpclient doctor --config mcp.yaml",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSubcommand,
		RunE:          func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	p.addFlags(root)
	root.AddCommand(
		p.configCommand(),
		p.serversCommand(),
		p.toolsCommand(),
		p.resourcesCommand(),
		p.promptsCommand(),
		p.callCommand(),
		p.readCommand(),
		p.promptCommand(),
		p.completeCommand(),
		p.watchCommand(),
		p.pingCommand(),
		p.testCommand(),
		p.doctorCommand(),
		p.versionCommand(),
		p.exitCodesCommand(),
		p.demoServerCommand(),
	)
	return root
}

// addFlags adds the flags that all commands have.
func (p *program) addFlags(root *cobra.Command) {
	p.color = terminal.ColorAuto
	flags := root.PersistentFlags()
	flags.StringArrayVar(&p.configFiles, "config", nil, "configuration `file`; may be given several times, and a later one wins")
	flags.BoolVar(&p.json, "json", false, "write JSON, as the server sent it, instead of text for people")
	flags.Var(&p.timeout, "timeout", "longest time for all the command does: 30s, or a number of seconds; without it: what the configuration says")
	flags.BoolVarP(&p.verbose, "verbose", "v", false, "log to stderr what happens: calls, progress, what servers log, the stderr of their processes")
	flags.BoolVarP(&p.quiet, "quiet", "q", false, "no progress, no server logs and no warnings on stderr")
	flags.Var(&p.color, "color", "use colours: auto, always or never; auto heeds NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE")
	flags.Var(&p.logLevel, "log", "show what servers log from this level on: debug to emergency, or off; on a terminal: warning")
	flags.StringArrayVar(&p.roots, "root", nil, "a `folder` that servers are told they may work in; may be given several times")
	p.registerCompletions(root)
	p.addAuthorization(root)
}

// noSubcommand refuses what is not a command, with suggestions.
func noSubcommand(command *cobra.Command, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	hint := ""
	if near := command.SuggestionsFor(arguments[0]); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage("unknown command %q%s", arguments[0], hint)
}

// arguments makes a rule for positional arguments whose breach is wrong usage.
func arguments(rule cobra.PositionalArgs, wanted string) cobra.PositionalArgs {
	return func(command *cobra.Command, found []string) error {
		if rule(command, found) != nil {
			return usage("%s takes %s; found %d", command.Name(), wanted, len(found))
		}
		return nil
	}
}

// lookup reads a variable of the environment.
func (p *program) lookup(name string) (string, bool) {
	if p.lookupEnv != nil {
		return p.lookupEnv(name)
	}
	return os.LookupEnv(name)
}

// output is stdout, as it looks after the flags were read.
func (p *program) output() *terminal.Output {
	if p.out == nil {
		p.out = terminal.NewOutput(p.stdout, p.color, p.lookup)
	}
	return p.out
}

// errorOutput is the same of stderr.
func (p *program) errorOutput() *terminal.Output {
	if p.err == nil {
		p.err = terminal.NewOutput(p.stderr, p.color, p.lookup)
	}
	return p.err
}

// bars are what is drawn on stderr.
func (p *program) bars() *terminal.Bars {
	if p.shown == nil {
		p.shown = terminal.NewBars(p.errorOutput(), p.isVerbose(), p.quiet, time.Now)
	}
	return p.shown
}

// complain writes to stderr, made fit for a terminal. That it may fail is no
// further news.
func (p *program) complain(text string) { p.bars().Above(terminal.Escape(text)) }

// warn complains of what is no failure.
func (p *program) warn(text string) {
	if !p.quiet {
		p.bars().Above(p.errorOutput().Paint(terminal.Yellow, "mcpclient: warning:") + " " + terminal.Escape(text))
	}
}

// isInteractive reports whether somebody is there to be asked: both stdin and
// stderr are terminals, and it is not a shell that asks for completions.
func (p *program) isInteractive() bool {
	return !p.completing && isTerminal(writerOf(p.stdin)) && p.errorOutput().IsTerminal()
}

// writerOf gives what is read from the shape that is looked at; a file is a
// terminal whichever way it is used.
func writerOf(r io.Reader) io.Writer {
	if w, ok := r.(io.Writer); ok {
		return w
	}
	return io.Discard
}

// isVerbose reports whether all is told; --quiet goes before --verbose.
func (p *program) isVerbose() bool { return p.verbose && !p.quiet }
