package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) promptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prompt SERVER NAME [key=value ...]",
		Short: "Get a prompt, filled in with arguments",
		Long:  "Get a prompt, filled in with arguments, which are always strings. 'mcpclient prompts SERVER' lists them.",
		Example: "  mcpclient prompt demo greet name=Ada\n" +
			"  mcpclient prompt demo greet name=Ada --json",
		Args: arguments(cobra.MinimumNArgs(2), "a server, a prompt and its arguments"),
		RunE: func(command *cobra.Command, found []string) error {
			assignments, err := parseAssignments(found[2:])
			if err != nil {
				return err
			}
			filled := make(map[string]string, len(assignments))
			for _, a := range assignments {
				if a.isJSON {
					return usage("argument %s:= is JSON, but arguments of prompts are strings", a.key)
				}
				filled[a.key] = a.value
			}
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				result, err := connection.GetPrompt(ctx, found[1], filled, p.callOptions(found[1])...)
				if err != nil {
					return err
				}
				return p.printPrompt(result)
			})
		},
	}
}

func (p *program) printPrompt(result *mcp.GetPromptResult) error {
	if p.json {
		return p.printJSON(result)
	}
	p.tellFaults(result.Faults)
	for _, message := range result.Messages {
		if err := p.printLine(cell(message.Role) + ":"); err != nil {
			return err
		}
		if err := p.printContent(message.Content); err != nil {
			return err
		}
	}
	return nil
}
