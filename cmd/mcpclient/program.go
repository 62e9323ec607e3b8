package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The program's exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// program is one run of the command line.
type program struct {
	inputs inputs

	stdin          io.Reader
	stdout, stderr io.Writer
	executable     func() (string, error) // the path of this program

	authorization

	configFiles []string
	configInUse string // the file that was found, "" for those of --config and for the built-in one
	json        bool
	timeout     timeoutFlag
	verbose     bool
}

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, arguments ...any) error {
	return usageError{fmt.Errorf(format, arguments...)}
}

// run executes the command line and returns the exit code.
func (p *program) run(ctx context.Context, arguments []string) int {
	root := p.rootCommand()
	root.SetArgs(arguments)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	p.complain("mcpclient: " + err.Error())
	if _, isUsage := errors.AsType[usageError](err); isUsage {
		p.complain(fmt.Sprintf("Try '%s --help'.", command.CommandPath()))
		return exitUsage
	}
	return exitFailure
}

// complain writes to stderr, made fit for a terminal. That it may fail is no
// further news.
func (p *program) complain(text string) { _, _ = fmt.Fprintln(p.stderr, terminalText(text)) }

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpclient",
		Short: "Talk to the MCP servers of a configuration file",
		Long: "Talk to the MCP servers of a configuration file: --config, or mcp.yaml, mcp.yml, mcp.toml or mcp.json in the\n" +
			"current directory, or else a built-in one whose server 'demo' is this program itself.\n\n" +
			"Exit codes: 0 success, 1 failure (a tool that reports an error is one), 2 wrong usage.",
		Example: "  mcpclient call demo echo text=hello\n" +
			"  mcpclient tools demo\n" +
			"  mcpclient --config mcp.yaml test --all",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSubcommand,
		RunE:          func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(p.configCommand())
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	flags := root.PersistentFlags()
	flags.StringArrayVar(&p.configFiles, "config", nil, "configuration `file`; may be given several times, and a later one wins")
	flags.BoolVar(&p.json, "json", false, "write JSON, as the server sent it, instead of text for people")
	flags.Var(&p.timeout, "timeout", "longest time for all the command does: 30s, or a number of seconds; without it: what the configuration says")
	flags.BoolVar(&p.verbose, "verbose", false, "log to stderr what happens: calls, progress, what servers log, the stderr of their processes")
	p.addAuthorization(root)
	root.AddCommand(
		p.serversCommand(), p.toolsCommand(), p.resourcesCommand(), p.promptsCommand(),
		p.callCommand(), p.readCommand(), p.promptCommand(),
		p.testCommand(), p.versionCommand(), p.demoServerCommand(),
	)
	return root
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
