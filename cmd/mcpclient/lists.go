package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) promptsCommand() *cobra.Command {
	return p.listCommand("prompts", "List the prompts of a server", "  mcpclient prompts demo", func(ctx context.Context, connection *mcpclient.Connection) error {
		if offered, err := p.offers(ctx, connection, "prompts"); !offered {
			return err
		}
		prompts, err := connection.Prompts(ctx)
		if err != nil {
			return err
		}
		return present(p, prompts, "no prompts", []string{"NAME", "ARGUMENTS", "DESCRIPTION"}, func(prompt mcp.Prompt) []string {
			var summary []string
			for _, argument := range prompt.Arguments {
				summary = append(summary, optional(argument.Name, argument.Required))
			}
			return []string{prompt.Name, joined(summary), prompt.Description}
		})
	})
}

func (p *program) resourcesCommand() *cobra.Command {
	return p.listCommand("resources", "List the resources and resource templates of a server", "  mcpclient resources demo", func(ctx context.Context, connection *mcpclient.Connection) error {
		if offered, err := p.offers(ctx, connection, "resources"); !offered {
			return err
		}
		resources, err := connection.Resources(ctx)
		if err != nil {
			return err
		}
		templates, err := connection.ResourceTemplates(ctx)
		if err != nil && !isUnknownMethod(err) { // many servers have no templates
			return err
		}
		return p.printResources(resources, templates)
	})
}

func (p *program) printResources(resources mcpclient.Collection[mcp.Resource], templates mcpclient.Collection[mcp.ResourceTemplate]) error {
	if p.json {
		return p.printJSON(map[string]any{"resources": listed(resources), "resourceTemplates": listed(templates)})
	}
	p.tellFaults(append(resources.Faults(), templates.Faults()...))
	rows := [][]string{{"KIND", "URI", "NAME", "TYPE", "DESCRIPTION"}}
	for resource := range resources.Values() {
		rows = append(rows, []string{"resource", resource.URI, resource.DisplayName(), resource.MIMEType, resource.Description})
	}
	for template := range templates.Values() {
		rows = append(rows, []string{"template", template.URITemplate, template.DisplayName(), template.MIMEType, template.Description})
	}
	if len(rows) == 1 {
		return p.printLine("no resources")
	}
	return p.table(rows)
}

func (p *program) listCommand(name, short, example string, list func(context.Context, *mcpclient.Connection) error) *cobra.Command {
	return &cobra.Command{
		Use:     name + " SERVER",
		Short:   short,
		Example: example,
		Args:    arguments(cobra.ExactArgs(1), "the name of a server"),
		RunE: func(command *cobra.Command, found []string) error {
			return p.withServer(command.Context(), found[0], list)
		},
	}
}

// offers reports whether the server announced tools, prompts or resources. If
// not, it says so, which is no failure: a list of what is not offered is empty.
func (p *program) offers(ctx context.Context, connection *mcpclient.Connection, what string) (bool, error) {
	info, err := connection.ServerInfo(ctx)
	if err != nil {
		return false, err
	}
	announced := mcp.ParseServerCapabilities(info.Capabilities)
	switch what {
	case "tools":
		if announced.Tools != nil {
			return true, nil
		}
	case "prompts":
		if announced.Prompts != nil {
			return true, nil
		}
	case "resources":
		if announced.Resources != nil {
			return true, nil
		}
	}
	if !p.json {
		return false, p.printLine("no " + what + ": the server does not offer them")
	}
	if what == "resources" {
		return false, p.printJSON(map[string]any{"resources": []any{}, "resourceTemplates": []any{}})
	}
	return false, p.printJSON([]any{})
}

// present writes a collection as JSON or as a table.
func present[T any](p *program, collection mcpclient.Collection[T], none string, heading []string, row func(T) []string) error {
	if p.json {
		return p.printJSON(listed(collection))
	}
	p.tellFaults(collection.Faults())
	if collection.Len() == 0 {
		return p.printLine(none)
	}
	rows := [][]string{heading}
	for value := range collection.Values() {
		rows = append(rows, row(value))
	}
	return p.table(rows)
}

// listed returns the values as a list that encodes as [] when it is empty.
func listed[T any](collection mcpclient.Collection[T]) []T {
	return slices.AppendSeq(make([]T, 0, collection.Len()), collection.Values())
}

func (p *program) tellFaults(faults []error) {
	for _, fault := range faults {
		p.complain("mcpclient: warning: left out: " + fault.Error())
	}
}

func isUnknownMethod(err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	return ok && failure.Kind == errors.KindPeer && failure.Code == mcp.CodeMethodNotFound
}
