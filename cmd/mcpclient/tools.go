package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) toolsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tools SERVER [TOOL]",
		Short: "List the tools of a server, or show one in full",
		Long: "List the tools of a server with their arguments, optional ones in brackets; or show one tool in full, with the\n" +
			"types of its arguments and whole descriptions.",
		Example: "  mcpclient tools demo\n" +
			"  mcpclient tools demo slow\n" +
			"  mcpclient tools demo add --json",
		Args: arguments(cobra.RangeArgs(1, 2), "the name of a server, and of a tool to show"),
		RunE: func(command *cobra.Command, found []string) error {
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				if len(found) == 2 {
					return p.showTool(ctx, connection, found[1])
				}
				if offered, err := p.offers(ctx, connection, "tools"); !offered {
					return err
				}
				tools, err := connection.Tools(ctx)
				if err != nil {
					return err
				}
				return present(p, tools, "no tools", []string{"NAME", "ARGUMENTS", "DESCRIPTION"}, func(tool mcp.Tool) []string {
					description := tool.Description
					if description == "" {
						description = tool.DisplayName()
					}
					return []string{tool.Name, schemaOf(tool.InputSchema).summary(), description}
				})
			})
		},
	}
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
		return errors.New(notListed(tools, name, connection.Name()))
	case p.json:
		return p.printJSON(tool)
	default:
		return p.printLine(terminalText(describeTool(tool)))
	}
}

func describeTool(tool mcp.Tool) string {
	var b strings.Builder
	b.WriteString(tool.Name)
	if title := tool.DisplayName(); title != tool.Name {
		b.WriteString(": " + title)
	}
	if hints := hintsOf(tool.Annotations); hints != "" {
		b.WriteString("\nsays of itself: " + hints)
	}
	if description := strings.TrimSpace(tool.Description); description != "" {
		b.WriteString("\n\n" + description)
	}
	known := schemaOf(tool.InputSchema)
	if len(known.arguments) == 0 {
		b.WriteString("\n\nIts schema names no arguments.")
		return b.String()
	}
	b.WriteString("\n\nArguments:")
	for _, a := range known.arguments {
		b.WriteString("\n  " + a.describe())
	}
	return b.String()
}

// describe is the argument on a line, and what else its description has.
func (a argument) describe() string {
	var facts []string
	switch {
	case len(a.values) > 0:
		facts = append(facts, "one of "+joined(a.values))
	case len(a.types) > 0:
		facts = append(facts, strings.Join(a.types, " or "))
	}
	if a.required {
		facts = append(facts, "required")
	}
	if a.fallback != "" {
		facts = append(facts, "default "+a.fallback)
	}
	text := a.name
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	if description := strings.TrimSpace(a.description); description != "" {
		text += ": " + strings.ReplaceAll(description, "\n", "\n    ")
	}
	return text
}

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
