package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	words "github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/arguments"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/saving"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) promptCommand() *cobra.Command {
	var (
		out     outFlags
		noCheck bool
	)
	command := &cobra.Command{
		Use:   "prompt SERVER NAME [key=value ...]",
		Short: "Get a prompt, filled in with arguments",
		Long: "Get a prompt, filled in with arguments, which are always strings (key=@file: the text of a file).\n" +
			"'mcpclient prompts SERVER' lists them. What the prompt requires is checked before anything is sent.",
		Example: "  mcpclient prompt demo greet name=Ada\n" +
			"  mcpclient prompt demo greet name=Ada --json",
		Args:              arguments(cobra.MinimumNArgs(2), "a server, a prompt and its arguments"),
		ValidArgsFunction: p.completePrompt,
		RunE: func(command *cobra.Command, found []string) error {
			filled, err := p.promptArguments(found[2:])
			if err != nil {
				return err
			}
			target, err := out.open()
			if err != nil {
				return err
			}
			defer p.closeTarget(target)
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				if !noCheck {
					if err := p.checkPrompt(ctx, connection, found[1], filled); err != nil {
						return err
					}
				}
				options, done := p.observe(ctx, connection, found[1])
				result, err := connection.GetPrompt(ctx, found[1], filled, options...)
				done()
				if err != nil {
					return p.explainQuestions(err)
				}
				return p.printPrompt(result, found[1], target)
			})
		},
	}
	command.Flags().BoolVar(&noCheck, "no-check", false, "send the arguments whatever the prompt requires")
	out.add(command, "images, audio and binary resources")
	return command
}

func (p *program) promptArguments(given []string) (map[string]string, error) {
	parsed, err := words.Parse(given, &words.Source{Stdin: p.stdin})
	if err != nil {
		return nil, usageError{err}
	}
	filled := make(map[string]string, len(parsed))
	for _, word := range parsed {
		if word.IsJSON || word.Appends {
			return nil, usage("argument %s is JSON or an array, but arguments of prompts are strings", word.Key)
		}
		if _, found := filled[word.Key]; found {
			return nil, usage("argument %q is given twice", word.Key)
		}
		filled[word.Key] = word.Text
	}
	return filled, nil
}

// checkPrompt tells what is missing. Where the prompts cannot be listed, or this
// one is not among them, nothing is known.
func (p *program) checkPrompt(ctx context.Context, connection *mcpclient.Connection, name string, filled map[string]string) error {
	prompts, err := connection.Prompts(ctx)
	if err != nil {
		return nil //nolint:nilerr // the call itself will tell
	}
	prompt, found := prompts.Get(name)
	if !found {
		return nil
	}
	values := make(map[string]json.RawMessage, len(filled))
	for key := range filled {
		values[key] = json.RawMessage(`""`)
	}
	wrong := ""
	for _, problem := range words.Check(schemaOfPrompt(prompt), values) {
		if problem.IsWarning {
			p.warn(problem.String())
			continue
		}
		wrong += "\n  " + problem.String()
	}
	if wrong != "" {
		return misfit("nothing was sent: the arguments do not fit the prompt %q of server %q:%s\n--no-check sends them all the same", name, connection.Name(), wrong)
	}
	return nil
}

// schemaOfPrompt says of a prompt's arguments what a tool's schema would.
func schemaOfPrompt(prompt mcp.Prompt) words.Schema {
	properties, required := map[string]any{}, []string{}
	for _, argument := range prompt.Arguments {
		properties[argument.Name] = struct{}{}
		if argument.Required {
			required = append(required, argument.Name)
		}
	}
	raw, err := json.Marshal(map[string]any{"properties": properties, "required": required})
	if err != nil {
		return words.Schema{} // unreachable: these are names
	}
	return words.Of(raw)
}

func (p *program) printPrompt(result *mcp.GetPromptResult, name string, target *saving.Target) error {
	if p.json {
		for _, message := range result.Messages {
			if err := p.saveContent(message.Content, name, target); err != nil {
				return err
			}
		}
		return p.printJSON(result)
	}
	p.tellFaults(result.Faults)
	for _, message := range result.Messages {
		if err := p.printLine(p.output().Paint(terminal.Bold, fmt.Sprintf("%s:", cell(message.Role)))); err != nil {
			return err
		}
		if err := p.printContent(message.Content, name, target); err != nil {
			return err
		}
	}
	return nil
}
