package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	words "github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/arguments"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func toolsKind() kind {
	return kind{"tools", []string{"NAME", "ARGUMENTS", "DESCRIPTION"}, func(ctx context.Context, connection *mcpclient.Connection) (listing, error) {
		tools, err := connection.Tools(ctx)
		if err != nil {
			return listing{}, err
		}
		found := listing{members: map[string]any{"tools": listed(tools)}, faults: tools.Faults()}
		for tool := range tools.Values() {
			description := tool.Description
			if description == "" {
				description = tool.DisplayName()
			}
			found.rows = append(found.rows, row(tool.Name, summary(words.Of(tool.InputSchema)), description))
		}
		return found, nil
	}}
}

func (p *program) toolsCommand() *cobra.Command {
	var all, accept bool
	command := &cobra.Command{
		Use:   "tools SERVER[,SERVER...] [TOOL] | --all",
		Short: "List the tools of servers, or show one in full",
		Long: "List the tools of servers with their arguments, optional ones in brackets; or show one tool in full, with the\n" +
			"types of its arguments and whole descriptions.\n\n" +
			"With --accept the definition of the tool, or of all tools of the server, that is not what was first seen or last\n" +
			"accepted (tools.pin) is accepted, and remembered in tools.pin_file.",
		Example: "  mcpclient tools demo\n" +
			"  mcpclient tools demo slow\n" +
			"  mcpclient tools --all\n" +
			"  mcpclient tools demo add --json\n" +
			"  mcpclient tools demo add --accept",
		ValidArgsFunction: p.completeTool,
		RunE: func(command *cobra.Command, found []string) error {
			if all && len(found) > 0 || !all && (len(found) < 1 || len(found) > 2) {
				return usage("tools takes the name of a server, and of a tool to show, or --all; found %d", len(found))
			}
			if accept {
				if len(found) == 0 {
					return usage("--accept takes the name of one server")
				}
				return p.acceptTools(command.Context(), found[0], found[1:])
			}
			if len(found) == 2 {
				return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
					return p.showTool(ctx, connection, found[1])
				})
			}
			return p.withClient(command.Context(), func(ctx context.Context, client *mcpclient.Client) error {
				return p.list(ctx, client, toolsKind(), found)
			})
		},
	}
	addAll(command, &all)
	command.Flags().BoolVar(&accept, "accept", false, "accept definitions that have changed (tools.pin)")
	return command
}

// showTool shows one tool in full.
func (p *program) showTool(ctx context.Context, connection *mcpclient.Connection, name string) error {
	tools, err := connection.Tools(ctx)
	if err != nil {
		return err
	}
	tool, found := tools.Get(name)
	switch {
	case !found:
		return codedError{errors.New(notListed(tools, name, connection.Name())), exitUsage}
	case p.json:
		return p.printJSON(tool)
	default:
		return p.printLine(p.describeTool(tool))
	}
}

// describeTool is a tool in full, fit for a terminal.
func (p *program) describeTool(tool mcp.Tool) string {
	var b strings.Builder
	b.WriteString(p.output().Paint(terminal.Bold, cell(tool.Name)))
	if title := tool.DisplayName(); title != tool.Name {
		b.WriteString(": " + cell(title))
	}
	if hints := hintsOf(tool.Annotations); hints != "" {
		b.WriteString("\nsays of itself: " + hints)
	}
	if description := strings.TrimSpace(tool.Description); description != "" {
		b.WriteString("\n\n" + terminalText(description))
	}
	known := words.Of(tool.InputSchema).Arguments()
	if len(known) == 0 {
		b.WriteString("\n\nIts schema names no arguments.")
		return b.String()
	}
	b.WriteString("\n\nArguments:")
	for _, argument := range known {
		b.WriteString("\n  " + p.describeArgument(argument))
	}
	return b.String()
}

// describeArgument is an argument on a line, and what else its description has.
func (p *program) describeArgument(a words.Argument) string {
	var facts []string
	switch {
	case len(a.Values) > 0:
		facts = append(facts, "one of "+joined(a.Values))
	case len(a.Types) > 0:
		facts = append(facts, strings.Join(a.Types, " or "))
	}
	if a.Required {
		facts = append(facts, "required")
	}
	if a.Default != "" {
		facts = append(facts, "default "+a.Default)
	}
	text := p.output().Paint(terminal.Cyan, cell(a.Name))
	if len(facts) > 0 {
		text += terminalText(" (" + strings.Join(facts, ", ") + ")")
	}
	if description := strings.TrimSpace(a.Description); description != "" {
		text += ": " + terminalText(strings.ReplaceAll(description, "\n", "\n    "))
	}
	return text
}

// summary names the arguments in the schema's order, optional ones in brackets.
func summary(schema words.Schema) string {
	var names []string
	for _, a := range schema.Arguments() {
		names = append(names, optional(a.Name, a.Required))
	}
	return joined(names)
}

func optional(name string, required bool) string {
	if required {
		return name
	}
	return "[" + name + "]"
}

func joined(names []string) string { return strings.Join(names, " ") }

// hintsOf names the annotations of a tool, which are the server's own word.
func hintsOf(annotations *mcp.ToolAnnotations) string {
	if annotations == nil {
		return ""
	}
	var hints []string
	for _, hint := range []struct {
		value   *bool
		yes, no string
	}{
		{annotations.ReadOnlyHint, "read-only", "changes things"},
		{annotations.DestructiveHint, "destructive", "not destructive"},
		{annotations.IdempotentHint, "idempotent", "not idempotent"},
		{annotations.OpenWorldHint, "reaches out into the world", "stays by itself"},
	} {
		if hint.value != nil && *hint.value {
			hints = append(hints, hint.yes)
		} else if hint.value != nil {
			hints = append(hints, hint.no)
		}
	}
	return strings.Join(hints, ", ")
}
