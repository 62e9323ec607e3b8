package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) readCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "read SERVER URI",
		Short: "Read a resource",
		Long: "Read a resource. To a terminal text is written with control characters escaped, and binary contents as a line\n" +
			"that names them. To a file or a pipe the contents are written byte for byte.",
		Example: "  mcpclient read demo demo://greeting\n" +
			"  mcpclient read demo demo://data.json > data.json",
		Args: arguments(cobra.ExactArgs(2), "a server and a URI"),
		RunE: func(command *cobra.Command, found []string) error {
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				result, err := connection.ReadResource(ctx, found[1], p.callOptions(found[1])...)
				if err != nil {
					return err
				}
				return p.printResource(result)
			})
		},
	}
}

func (p *program) printResource(result *mcp.ReadResourceResult) error {
	if p.json {
		return p.printJSON(result)
	}
	p.tellFaults(result.Faults)
	for _, contents := range result.Contents {
		if err := p.printContents(contents); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) printContents(contents mcp.ResourceContents) error {
	switch {
	case !isTerminal(p.stdout):
		exact, err := contents.Bytes()
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(exact)
		return err
	case contents.IsBlob():
		return p.printLine(blobLine(contents))
	default:
		return p.printLine(terminalText(contents.Text))
	}
}
