package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) callCommand() *cobra.Command {
	var base string
	command := &cobra.Command{
		Use:   "call SERVER TOOL [key=value | key:=json ...]",
		Short: "Call a tool and print its result",
		Long: "Call a tool and print its result. A key=value becomes what the tool's inputSchema says: a number, a boolean,\n" +
			"an array or an object (as JSON), else a string. key:=json is JSON whatever the schema says.",
		Example: "  mcpclient call demo echo text=hello\n" +
			"  mcpclient call demo add a=2 b=3\n" +
			"  mcpclient call demo add --args '{\"a\": 2, \"b\": 3}'",
		Args: arguments(cobra.MinimumNArgs(2), "a server, a tool and its arguments"),
		RunE: func(command *cobra.Command, found []string) error {
			assignments, err := parseAssignments(found[2:])
			if err != nil {
				return err
			}
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				return p.call(ctx, connection, found[1], base, assignments)
			})
		},
	}
	command.Flags().StringVar(&base, "args", "", "arguments as a JSON `object`, or - to read it from stdin; key=value goes on top")
	return command
}

func (p *program) call(ctx context.Context, connection *mcpclient.Connection, tool, base string, assignments []assignment) error {
	given, err := p.baseArguments(base)
	if err != nil {
		return err
	}
	var known schema
	if slices.ContainsFunc(assignments, func(a assignment) bool { return !a.isJSON }) {
		if known, err = inputSchema(ctx, connection, tool); err != nil {
			return err
		}
	}
	merged, err := known.arguments(given, assignments)
	if err != nil {
		return err
	}
	result, err := connection.CallTool(ctx, tool, merged, p.callOptions(tool)...)
	if err != nil {
		return err
	}
	if err := p.printToolResult(result); err != nil {
		return err
	}
	if result.IsError {
		return errors.New("the tool reported an error")
	}
	return nil
}

// inputSchema looks the tool up. One that is not listed may exist all the same;
// its arguments are then strings.
func inputSchema(ctx context.Context, connection *mcpclient.Connection, name string) (schema, error) {
	tools, err := connection.Tools(ctx)
	if err != nil && !isUnknownMethod(err) {
		return schema{}, err
	}
	tool, _ := tools.Get(name)
	return schemaOf(tool.InputSchema), nil
}

// callOptions shows progress to people.
func (p *program) callOptions(tool string) []mcpclient.CallOption {
	if !p.verbose && !isTerminal(p.stderr) {
		return nil
	}
	return []mcpclient.CallOption{mcpclient.OnProgress(func(progress mcp.Progress) {
		text := fmt.Sprintf("%s: %g", tool, progress.Progress)
		if progress.Total > 0 {
			text += fmt.Sprintf(" of %g", progress.Total)
		}
		if progress.Message != "" {
			text += ": " + errors.PeerText(progress.Message, maxCell)
		}
		p.complain(text)
	})}
}

func (p *program) printToolResult(result *mcp.CallToolResult) error {
	if p.json {
		return p.printJSON(result.Raw())
	}
	printed := false
	for block := range result.Content() {
		printed = true
		if err := p.printContent(block); err != nil {
			return err
		}
	}
	if structured, found := result.Structured(); found && !printed {
		return p.printJSON(structured)
	}
	return nil
}
