package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
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
	var tools listedTools
	known := schema{isOpen: true}
	if slices.ContainsFunc(assignments, func(a assignment) bool { return !a.isJSON }) {
		if known, err = tools.schema(ctx, connection, tool); err != nil {
			return err
		}
	}
	merged, err := known.merge(given, assignments)
	if err != nil {
		return err
	}
	for _, complaint := range known.unknown(slices.Sorted(maps.Keys(merged))) {
		p.complain("mcpclient: warning: " + complaint)
	}
	result, err := connection.CallTool(ctx, tool, merged, p.callOptions(tool)...)
	if err == nil {
		err = p.printToolResult(result)
	}
	if err == nil && result.IsError {
		err = errors.New("the tool reported an error")
	}
	if isRefusal(err) || result != nil && result.IsError {
		err = tools.hint(ctx, connection, tool, err)
	}
	return err
}

// isRefusal reports whether the server answered with an error.
func isRefusal(err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	return ok && failure.Kind == errors.KindPeer
}

// listedTools are the tools of a server, asked for at most once.
type listedTools struct {
	tools  mcpclient.Collection[mcp.Tool]
	listed bool
}

func (l *listedTools) list(ctx context.Context, connection *mcpclient.Connection) error {
	if l.listed {
		return nil
	}
	tools, err := connection.Tools(ctx)
	if err != nil && !isUnknownMethod(err) {
		return err
	}
	l.tools, l.listed = tools, true
	return nil
}

// schema looks a tool up. One that is not listed may exist all the same; its
// arguments are then strings.
func (l *listedTools) schema(ctx context.Context, connection *mcpclient.Connection, name string) (schema, error) {
	if err := l.list(ctx, connection); err != nil {
		return schema{}, err
	}
	tool, found := l.tools.Get(name)
	if !found {
		return schema{isOpen: true}, nil
	}
	return schemaOf(tool.InputSchema), nil
}

// hint adds to the error of a call that the server does not list the tool, if
// that is so.
func (l *listedTools) hint(ctx context.Context, connection *mcpclient.Connection, name string, err error) error {
	if l.list(ctx, connection) != nil || l.tools.Len() == 0 {
		return err
	}
	if _, found := l.tools.Get(name); found {
		return err
	}
	return fmt.Errorf("%w; %s", err, notListed(l.tools, name, connection.Name()))
}

// notListed says that a tool is not there, and what to look at instead.
func notListed(tools mcpclient.Collection[mcp.Tool], name, server string) string {
	text := fmt.Sprintf("server %q lists no tool %q", server, name)
	if near := config.Nearest(name, tools.Keys()); near != "" {
		return text + fmt.Sprintf("; did you mean \"%s\"?", errors.PeerText(near, maxCell))
	}
	return text + "; see 'mcpclient tools " + server + "'"
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
