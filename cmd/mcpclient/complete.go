package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	words "github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/arguments"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) completeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "complete SERVER PROMPT|TEMPLATE argument=beginning [key=value ...]",
		Short: "Ask a server what an argument may be completed to",
		Long: "Ask a server what the beginning of an argument may be completed to: the argument of a prompt, or of a resource\n" +
			"template, which has {braces}. Further key=value are arguments that were chosen before.",
		Example: "  mcpclient complete demo greet name=A\n" +
			"  mcpclient complete demo 'demo://items/{id}' id=",
		Args:              arguments(cobra.MinimumNArgs(3), "a server, a prompt or template, and an argument"),
		ValidArgsFunction: p.completePrompt,
		RunE: func(command *cobra.Command, found []string) error {
			request, err := p.completion(found[1], found[2:])
			if err != nil {
				return err
			}
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				result, err := connection.Complete(ctx, request)
				if err != nil {
					return err
				}
				return p.printCompletion(result)
			})
		},
	}
}

// completion makes the request of words.
func (p *program) completion(of string, given []string) (mcp.CompleteParams, error) {
	request := mcp.CompleteParams{Ref: mcp.PromptReference(of)}
	if strings.ContainsAny(of, "{") {
		request.Ref = mcp.ResourceTemplateReference(of)
	}
	parsed, err := words.Parse(given, &words.Source{Stdin: p.stdin})
	if err != nil {
		return request, usageError{err}
	}
	request.Argument = mcp.CompletionArgument{Name: parsed[0].Key, Value: parsed[0].Text}
	if len(parsed) > 1 {
		chosen := map[string]string{}
		for _, word := range parsed[1:] {
			chosen[word.Key] = word.Text
		}
		request.Context = &mcp.CompletionContext{Arguments: chosen}
	}
	return request, nil
}

func (p *program) printCompletion(result *mcp.CompleteResult) error {
	if p.json {
		return p.printJSON(result)
	}
	for _, value := range result.Values {
		if err := p.printLine(terminalText(strings.ReplaceAll(value, "\n", " "))); err != nil {
			return err
		}
	}
	if result.HasMore {
		p.tell("there are more")
	}
	return nil
}
