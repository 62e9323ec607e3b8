package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// kind is one sort of things that servers have.
type kind struct {
	name    string // as in the capabilities: tools, prompts, resources
	heading []string
	list    func(ctx context.Context, connection *mcpclient.Connection) (listing, error)
}

// listing is what one server has.
type listing struct {
	members map[string]any // for JSON: the lists by the names that the protocol gives them
	rows    [][]terminal.Cell
	faults  []error
}

// empty is the listing of a server that does not offer a kind.
func (k kind) empty() listing {
	members := map[string]any{k.name: []any{}}
	if k.name == "resources" {
		members["resourceTemplates"] = []any{}
	}
	return listing{members: members}
}

func promptsKind() kind {
	return kind{"prompts", []string{"NAME", "ARGUMENTS", "DESCRIPTION"}, func(ctx context.Context, connection *mcpclient.Connection) (listing, error) {
		prompts, err := connection.Prompts(ctx)
		if err != nil {
			return listing{}, err
		}
		found := listing{members: map[string]any{"prompts": listed(prompts)}, faults: prompts.Faults()}
		for prompt := range prompts.Values() {
			var summary []string
			for _, argument := range prompt.Arguments {
				summary = append(summary, optional(argument.Name, argument.Required))
			}
			found.rows = append(found.rows, row(prompt.Name, joined(summary), prompt.Description))
		}
		return found, nil
	}}
}

func resourcesKind() kind {
	return kind{"resources", []string{"URI", "KIND", "NAME", "TYPE", "DESCRIPTION"}, func(ctx context.Context, connection *mcpclient.Connection) (listing, error) {
		resources, err := connection.Resources(ctx)
		if err != nil {
			return listing{}, err
		}
		templates, err := connection.ResourceTemplates(ctx)
		if err != nil && !isUnknownMethod(err) { // many servers have no templates
			return listing{}, err
		}
		found := listing{
			members: map[string]any{"resources": listed(resources), "resourceTemplates": listed(templates)},
			faults:  append(resources.Faults(), templates.Faults()...),
		}
		for resource := range resources.Values() {
			found.rows = append(found.rows, row(resource.URI, "resource", resource.DisplayName(), resource.MIMEType, resource.Description))
		}
		for template := range templates.Values() {
			found.rows = append(found.rows, row(template.URITemplate, "template", template.DisplayName(), template.MIMEType, template.Description))
		}
		return found, nil
	}}
}

func (p *program) promptsCommand() *cobra.Command {
	return p.listCommand(promptsKind(), "prompts SERVER[,SERVER...] | --all", "List the prompts of servers", "  mcpclient prompts demo")
}

func (p *program) resourcesCommand() *cobra.Command {
	return p.listCommand(resourcesKind(), "resources SERVER[,SERVER...] | --all", "List the resources and resource templates of servers", "  mcpclient resources demo")
}

func (p *program) listCommand(k kind, use, short, example string) *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:               use,
		Short:             short,
		Example:           example + "\n  mcpclient " + k.name + " --all --json",
		ValidArgsFunction: p.completeServer,
		RunE: func(command *cobra.Command, found []string) error {
			if all && len(found) > 0 || !all && len(found) != 1 {
				return usage("%s takes the name of a server, or --all; found %d", command.Name(), len(found))
			}
			return p.withClient(command.Context(), func(ctx context.Context, client *mcpclient.Client) error {
				return p.list(ctx, client, k, found)
			})
		},
	}
	addAll(command, &all)
	return command
}

func addAll(command *cobra.Command, all *bool) {
	command.Flags().BoolVar(all, "all", false, "of every configured server, side by side")
}

// list lists what the named servers have; without names, what all of them have.
func (p *program) list(ctx context.Context, client *mcpclient.Client, k kind, named []string) error {
	if len(named) == 0 {
		return p.listSeveral(ctx, client, k, client.Servers())
	}
	names := p.serverNames(client, named[0])
	if len(names) > 1 {
		return p.listSeveral(ctx, client, k, names)
	}
	connection, err := p.connect(client, names[0])
	if err != nil {
		return err
	}
	found, offered, err := p.listOne(ctx, connection, k)
	switch {
	case err != nil:
		return err
	case p.json && len(found.members) == 1:
		return p.printJSON(found.members[k.name])
	case p.json:
		return p.printJSON(found.members)
	}
	p.tellFaults(found.faults)
	switch {
	case !offered:
		return p.nothing("no " + k.name + ": the server does not offer them")
	case len(found.rows) == 0:
		return p.nothing("no " + k.name)
	default:
		return p.printTable(terminal.Table{Heading: k.heading, Rows: found.rows})
	}
}

// listOne lists what one server has. That it does not offer any is no failure: a
// list of what is not offered is empty.
func (p *program) listOne(ctx context.Context, connection *mcpclient.Connection, k kind) (found listing, offered bool, err error) {
	info, err := connection.ServerInfo(ctx)
	if err != nil {
		return listing{}, false, err
	}
	announced := mcp.ParseServerCapabilities(info.Capabilities)
	switch k.name {
	case "tools":
		offered = announced.Tools != nil
	case "prompts":
		offered = announced.Prompts != nil
	default:
		offered = announced.Resources != nil
	}
	if !offered {
		return k.empty(), false, nil
	}
	found, err = k.list(ctx, connection)
	return found, true, err
}

// listSeveral lists what several servers have, side by side.
func (p *program) listSeveral(ctx context.Context, client *mcpclient.Client, k kind, names []string) error {
	found, failures := make([]listing, len(names)), make([]error, len(names))
	var listing sync.WaitGroup
	for i, name := range names {
		listing.Go(func() {
			bar := p.bars().Add(name, true)
			defer bar.Done()
			connection, err := p.connect(client, name)
			if err == nil {
				found[i], _, err = p.listOne(ctx, connection, k)
			}
			failures[i] = err
		})
	}
	listing.Wait()
	if err := p.printListings(ctx, k, names, found, failures); err != nil {
		return err
	}
	return several(ctx, "server", failures)
}

func (p *program) printListings(ctx context.Context, k kind, names []string, found []listing, failures []error) error {
	lines := make([]map[string]any, len(names))
	table := terminal.Table{Heading: append([]string{"SERVER"}, k.heading...)}
	for i, name := range names {
		lines[i] = map[string]any{"server": name}
		if failures[i] != nil {
			lines[i]["error"] = failureOf(ctx, failures[i])
			continue
		}
		maps.Copy(lines[i], found[i].members)
		for _, cells := range found[i].rows {
			table.Rows = append(table.Rows, append([]terminal.Cell{{Text: name}}, cells...))
		}
	}
	if p.json {
		return p.printJSON(lines)
	}
	for i := range names {
		p.tellFaults(found[i].faults)
		if failures[i] != nil {
			p.complain("mcpclient: " + failures[i].Error())
		}
	}
	if len(table.Rows) == 0 {
		return p.nothing("no " + k.name)
	}
	return p.printTable(table)
}

// row makes cells of texts, the first one being what things are called by.
func row(name string, more ...string) []terminal.Cell {
	cells := []terminal.Cell{{Text: name, Style: terminal.Cyan}}
	for _, text := range more {
		cells = append(cells, terminal.Cell{Text: text})
	}
	return cells
}

// listed returns the values as a list that encodes as [] when it is empty.
func listed[T any](collection mcpclient.Collection[T]) []T {
	return slices.AppendSeq(make([]T, 0, collection.Len()), collection.Values())
}

func (p *program) tellFaults(faults []error) {
	for _, fault := range faults {
		p.warn(fmt.Sprintf("left out: %v", fault))
	}
}
