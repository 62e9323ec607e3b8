package main

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	words "github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/arguments"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// completionTime bounds what is asked of a server for one press of the key.
const completionTime = 3 * time.Second

// A shell may expand what is proposed to it, so that nothing of a server reaches
// it but letters, digits and punctuation without meaning: a name that has other
// characters is not proposed, and a description goes without them.

// proposable reports whether a word may be proposed.
func proposable(word string) bool {
	return word != "" && len(word) <= 500 && strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./:@+,=%?{}", r)
	}) < 0 && word[0] != '-'
}

// proposal is a word with what is said of it.
func proposal(word, description string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:,()", r) {
			return r
		}
		return ' '
	}, cell(description))
	if plain = strings.Join(strings.Fields(plain), " "); plain == "" {
		return word
	}
	return word + "\t" + plain
}

// proposals are what a shell is offered.
type proposals []string

func (o *proposals) add(word, description, typed string) {
	if proposable(word) && strings.HasPrefix(word, typed) {
		*o = append(*o, proposal(word, description))
	}
}

const noFiles = cobra.ShellCompDirectiveNoFileComp

// registerCompletions completes the values of flags.
func (p *program) registerCompletions(root *cobra.Command) {
	fixed := func(flag string, values ...string) {
		_ = root.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, noFiles)) // fails only for a flag that is not there
	}
	fixed("color", "auto", "always", "never")
	levels := []string{"off"}
	for _, level := range mcp.LoggingLevels() {
		levels = append(levels, string(level))
	}
	fixed("log", levels...)
	_ = root.RegisterFlagCompletionFunc("root", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	_ = root.RegisterFlagCompletionFunc("config", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml", "toml", "json"}, cobra.ShellCompDirectiveFilterFileExt
	})
}

// completeServer proposes the configured servers for the first word.
func (p *program) completeServer(_ *cobra.Command, found []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(found) > 0 {
		return nil, noFiles
	}
	return p.proposeServers(nil, typed), noFiles
}

// completeServers proposes servers for every word.
func (p *program) completeServers(_ *cobra.Command, found []string, typed string) ([]string, cobra.ShellCompDirective) {
	return p.proposeServers(found, typed), noFiles
}

func (p *program) proposeServers(given []string, typed string) proposals {
	var offered proposals
	cfg, err := p.configuration()
	if err != nil {
		return nil
	}
	already := map[string]bool{}
	for _, name := range given {
		already[name] = true
	}
	for _, name := range cfg.Names() {
		if section, found := cfg.Server(name); found && !already[name] {
			kind, _ := section.String("type")
			offered.add(name, kind, typed)
		}
	}
	return offered
}

// completeTool proposes a server, then one of its tools.
func (p *program) completeTool(command *cobra.Command, found []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch len(found) {
	case 0:
		return p.proposeServers(nil, typed), noFiles
	case 1:
		return p.proposeTools(command.Context(), found[0], typed), noFiles
	default:
		return nil, noFiles
	}
}

func (p *program) proposeTools(ctx context.Context, server, typed string) proposals {
	var offered proposals
	for _, tool := range p.catalog(ctx, server).Tools {
		offered.add(tool.Name, tool.Description, typed)
	}
	return offered
}

// completeCall proposes a server, a tool, then its arguments and their values.
func (p *program) completeCall(command *cobra.Command, found []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(found) < 2 {
		return p.completeTool(command, found, typed)
	}
	for _, tool := range p.catalog(command.Context(), found[0]).Tools {
		if tool.Name == found[1] {
			return proposeArguments(words.Of(tool.InputSchema).Arguments(), found[2:], typed)
		}
	}
	return nil, noFiles
}

// proposeArguments proposes keys, or values where there is a key.
func proposeArguments(known []words.Argument, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	var offered proposals
	if key, _, hasKey := strings.Cut(typed, "="); hasKey {
		for _, a := range known {
			if a.Name == key {
				for _, value := range valuesOf(a) {
					offered.add(key+"="+value, "", typed)
				}
			}
		}
		return offered, noFiles
	}
	already := map[string]bool{}
	for _, word := range given {
		key, _, _ := strings.Cut(word, "=")
		already[strings.TrimSuffix(key, ":")] = true
	}
	for _, a := range known {
		if !already[a.Name] {
			offered.add(a.Name+"=", a.Description, typed)
		}
	}
	return offered, noFiles | cobra.ShellCompDirectiveNoSpace
}

// valuesOf are the values that an argument may have, as they are typed.
func valuesOf(a words.Argument) []string {
	var values []string
	for _, value := range a.Values {
		values = append(values, strings.Trim(value, `"`))
	}
	if len(values) == 0 && len(a.Types) == 1 && a.Types[0] == "boolean" {
		values = []string{"true", "false"}
	}
	return values
}

// completePrompt proposes a server, a prompt, its arguments, and what the server
// itself proposes for their values.
func (p *program) completePrompt(command *cobra.Command, found []string, typed string) ([]string, cobra.ShellCompDirective) {
	var offered proposals
	if len(found) == 0 {
		return p.proposeServers(nil, typed), noFiles
	}
	known := p.catalog(command.Context(), found[0])
	if len(found) == 1 {
		for _, prompt := range known.Prompts {
			offered.add(prompt.Name, prompt.Description, typed)
		}
		if command.Name() == "complete" {
			for _, template := range known.Templates {
				offered.add(template.URITemplate, template.Name, typed)
			}
		}
		return offered, noFiles
	}
	if key, beginning, hasKey := strings.Cut(typed, "="); hasKey {
		for _, value := range p.askForValues(command.Context(), found, key, beginning) {
			offered.add(key+"="+value, "", typed)
		}
		return offered, noFiles
	}
	for _, prompt := range known.Prompts {
		if prompt.Name == found[1] {
			var arguments []words.Argument
			for _, argument := range prompt.Arguments {
				arguments = append(arguments, words.Argument{Name: argument.Name, Description: argument.Description})
			}
			return proposeArguments(arguments, found[2:], typed)
		}
	}
	return nil, noFiles
}

// completeRead proposes a server, then one of its resources.
func (p *program) completeRead(command *cobra.Command, found []string, typed string) ([]string, cobra.ShellCompDirective) {
	var offered proposals
	switch len(found) {
	case 0:
		return p.proposeServers(nil, typed), noFiles
	case 1:
		for _, resource := range p.catalog(command.Context(), found[0]).Resources {
			offered.add(resource.URI, resource.Name, typed)
		}
	}
	return offered, noFiles
}

// askForValues asks the server what the value of a prompt's argument may be.
func (p *program) askForValues(ctx context.Context, found []string, key, beginning string) []string {
	request, err := p.completion(found[1], append([]string{key + "=" + beginning}, found[2:]...))
	if err != nil {
		return nil
	}
	var values []string
	_ = p.withinCompletionTime(ctx, found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
		result, err := connection.Complete(ctx, request)
		if err == nil {
			values = result.Values
		}
		return err
	})
	return values
}

// withinCompletionTime is withServer for a shell, which waits and must see
// nothing on stderr.
func (p *program) withinCompletionTime(ctx context.Context, server string, work func(context.Context, *mcpclient.Connection) error) error {
	p.completing, p.quiet = true, true
	if p.timeout.length == 0 || p.timeout.length > completionTime {
		p.timeout.length = completionTime
	}
	return p.withServer(ctx, server, work)
}
