package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	words "github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/arguments"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/saving"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// toolCall is what the command line says of a call.
type toolCall struct {
	tool    string
	base    map[string]json.RawMessage
	words   []words.Word
	noCheck bool
}

func (p *program) callCommand() *cobra.Command {
	var (
		base string
		call toolCall
		out  outFlags
	)
	command := &cobra.Command{
		Use:   "call SERVER[,SERVER...] TOOL [key=value ...]",
		Short: "Call a tool and print its result",
		Long: "Call a tool and print its result; with several servers, theirs, side by side.\n\n" +
			"  key=value     what the tool's inputSchema wants there: a number, a boolean, an array, an object, else a string\n" +
			"  key:=json     JSON, whatever the schema says\n" +
			"  key=@file     the text of a file, or of stdin (@-); key:=@file its JSON; @@ begins a value with @\n" +
			"  a.b=value     within an object; \\. is a dot within a name\n" +
			"  key=1 key=2   the elements of an array; key[]=1 is one of them whatever the schema says\n" +
			"  -             all of them, as a JSON object on stdin; what else is given goes on top\n\n" +
			"The arguments are checked against the schema, and all that is missing or wrong is told, before anything is sent.",
		Example: "  mcpclient call demo echo text=hello\n" +
			"  mcpclient call demo add a=2 b=3\n" +
			"  echo '{\"a\": 2, \"b\": 3}' | mcpclient call demo add -\n" +
			"  mcpclient call demo,other slow ms=2000",
		Args:              arguments(cobra.MinimumNArgs(2), "a server, a tool and its arguments"),
		ValidArgsFunction: p.completeCall,
		RunE: func(command *cobra.Command, found []string) error {
			call.tool = found[1]
			if err := p.readArguments(&call, base, found[2:]); err != nil {
				return err
			}
			target, err := out.open()
			if err != nil {
				return err
			}
			defer p.closeTarget(target)
			return p.withClient(command.Context(), func(ctx context.Context, client *mcpclient.Client) error {
				names := p.serverNames(client, found[0])
				if len(names) == 1 {
					return p.callOne(ctx, client, names[0], call, target)
				}
				return p.callSeveral(ctx, client, names, call, target)
			})
		},
	}
	command.Flags().StringVar(&base, "args", "", "arguments as a JSON `object`, or - to read it from stdin; key=value goes on top")
	command.Flags().BoolVar(&call.noCheck, "no-check", false, "send the arguments whatever the tool's schema says of them")
	out.add(command, "images, audio and binary resources")
	return command
}

// readArguments reads --args, and the words of the command line.
func (p *program) readArguments(call *toolCall, base string, given []string) error {
	source := &words.Source{Stdin: p.stdin}
	if at := slices.Index(given, "-"); at >= 0 {
		if base != "" {
			return usage("the arguments are given by --args and by -")
		}
		base, given = "-", slices.Delete(slices.Clone(given), at, at+1)
	}
	text, from := []byte(base), "--args"
	if base == "-" {
		var err error
		if text, err = source.ReadStdin(); err != nil {
			return err
		}
		from = "stdin"
	}
	var err error
	if base != "" {
		if call.base, err = words.Object(text, from); err != nil {
			return usageError{err}
		}
	}
	if call.words, err = words.Parse(given, source); err != nil {
		return usageError{err}
	}
	return nil
}

// serverNames takes names with commas between apart, unless there is a server of
// that name.
func (p *program) serverNames(client *mcpclient.Client, text string) []string {
	if slices.Contains(client.Servers(), text) {
		return []string{text}
	}
	var names []string
	for _, name := range strings.Split(text, ",") {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{text}
	}
	return names
}

func (p *program) callOne(ctx context.Context, client *mcpclient.Client, name string, call toolCall, target *saving.Target) error {
	connection, err := p.connect(client, name)
	if err != nil {
		return err
	}
	result, err := p.call(ctx, connection, call, call.tool)
	if result != nil {
		if failure := p.printToolResult(result, call.tool, target); failure != nil {
			return failure
		}
	}
	return err
}

// calledLine is the result of one of several calls.
type calledLine struct {
	Server string              `json:"server"`
	Result *mcp.CallToolResult `json:"result,omitempty"`
	Error  *failureLine        `json:"error,omitempty"`
}

// callSeveral makes the calls side by side and prints what came of them in the
// order of the names.
func (p *program) callSeveral(ctx context.Context, client *mcpclient.Client, names []string, call toolCall, target *saving.Target) error {
	connections := make([]*mcpclient.Connection, len(names))
	for i, name := range names {
		connection, err := p.connect(client, name)
		if err != nil {
			return err
		}
		connections[i] = connection
	}
	lines, failures := make([]calledLine, len(names)), make([]error, len(names))
	var calling sync.WaitGroup
	for i, connection := range connections {
		calling.Go(func() {
			lines[i].Server = connection.Name()
			lines[i].Result, failures[i] = p.call(ctx, connection, call, connection.Name())
		})
	}
	calling.Wait()
	for i, line := range lines {
		if failures[i] != nil && line.Result == nil {
			failure := failureOf(ctx, failures[i])
			lines[i].Error = &failure
		}
	}
	if err := p.printCalls(lines, call.tool, target); err != nil {
		return err
	}
	return several(ctx, "call", failures)
}

func (p *program) printCalls(lines []calledLine, tool string, target *saving.Target) error {
	if p.json {
		for _, line := range lines {
			if err := p.saveResult(line.Result, tool, target); err != nil {
				return err
			}
		}
		return p.printJSON(lines)
	}
	for _, line := range lines {
		heading := p.output().Paint(terminal.Bold, terminalText(line.Server)+":")
		if err := p.printLine(heading); err != nil {
			return err
		}
		if line.Error != nil {
			p.complain("mcpclient: " + line.Error.Message)
			continue
		}
		if err := p.printToolResult(line.Result, tool, target); err != nil {
			return err
		}
	}
	return nil
}

// several makes one error of those of several things; its exit code is that of
// the first one.
func several(ctx context.Context, thing string, failures []error) error {
	failed, code := 0, exitOK
	for _, err := range failures {
		if err == nil {
			continue
		}
		if failed++; code == exitOK {
			code = exitCodeOf(ctx, err)
		}
	}
	if failed == 0 {
		return nil
	}
	return codedError{fmt.Errorf("%d of %s failed", failed, counted(len(failures), thing)), code}
}

// call makes one call. The result is there, beside an error, where the tool
// reported one.
func (p *program) call(ctx context.Context, connection *mcpclient.Connection, call toolCall, shown string) (*mcp.CallToolResult, error) {
	var tools listedTools
	built, err := p.prepare(ctx, connection, &tools, call)
	if err != nil {
		return nil, err
	}
	p.askForLogs(ctx, connection)
	options, done := p.observe(ctx, connection, shown)
	result, err := connection.CallTool(ctx, call.tool, built, options...)
	done()
	if err == nil && result.IsError {
		err = codedError{errors.New("the tool reported an error"), exitFailure}
	}
	if isRefusal(err) || result != nil && result.IsError {
		err = tools.hint(ctx, connection, call.tool, err)
	}
	return result, p.explainQuestions(err)
}

// prepare makes the arguments, and checks them. A tool that is not listed may
// exist all the same; its arguments are then strings.
func (p *program) prepare(ctx context.Context, connection *mcpclient.Connection, tools *listedTools, call toolCall) (map[string]json.RawMessage, error) {
	known, err := tools.schema(ctx, connection, call.tool)
	if err != nil {
		return nil, err
	}
	built, problems := words.Prepare(known, call.base, call.words)
	if call.noCheck {
		_, problems = words.Build(known, call.base, call.words) // what cannot even be built
	}
	wrong := ""
	for _, problem := range problems {
		if problem.IsWarning {
			p.warn(problem.String())
			continue
		}
		wrong += "\n  " + problem.String()
	}
	if wrong != "" {
		return nil, misfit("nothing was sent: the arguments do not fit the tool %q of server %q:%s\n'mcpclient tools %s %s' shows what it takes; --no-check sends them all the same",
			call.tool, connection.Name(), wrong, connection.Name(), call.tool)
	}
	return built, nil
}

func (p *program) printToolResult(result *mcp.CallToolResult, tool string, target *saving.Target) error {
	if p.json {
		if err := p.saveResult(result, tool, target); err != nil {
			return err
		}
		return p.printJSON(result.Raw())
	}
	printed := false
	for block := range result.Content() {
		printed = true
		if err := p.printContent(block, tool, target); err != nil {
			return err
		}
	}
	if structured, found := result.Structured(); found && !printed {
		return p.printJSON(structured)
	}
	return nil
}

// saveResult saves what is no text of a result.
func (p *program) saveResult(result *mcp.CallToolResult, tool string, target *saving.Target) error {
	if result == nil {
		return nil
	}
	for block := range result.Content() {
		if err := p.saveContent(block, tool, target); err != nil {
			return err
		}
	}
	return nil
}
