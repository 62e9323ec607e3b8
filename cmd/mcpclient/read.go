package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/saving"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) readCommand() *cobra.Command {
	var out outFlags
	command := &cobra.Command{
		Use:   "read SERVER URI",
		Short: "Read a resource",
		Long: "Read a resource. To a terminal text is written with control characters escaped, and binary contents as a line\n" +
			"that names them. To a file or a pipe the contents are written byte for byte. With --out they are saved instead.",
		Example: "  mcpclient read demo demo://greeting\n" +
			"  mcpclient read demo demo://data.json > data.json\n" +
			"  mcpclient read demo demo://data.json --out downloads/",
		Args:              arguments(cobra.ExactArgs(2), "a server and a URI"),
		ValidArgsFunction: p.completeRead,
		RunE: func(command *cobra.Command, found []string) error {
			target, err := out.open()
			if err != nil {
				return err
			}
			defer p.closeTarget(target)
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				options, done := p.observe(ctx, connection, found[1])
				result, err := connection.ReadResource(ctx, found[1], options...)
				done()
				if err != nil {
					return p.explainQuestions(err)
				}
				return p.printResource(result, target)
			})
		},
	}
	out.add(command, "the contents")
	return command
}

func (p *program) printResource(result *mcp.ReadResourceResult, target *saving.Target) error {
	if !p.json {
		p.tellFaults(result.Faults)
	}
	for _, contents := range result.Contents {
		if err := p.printContents(contents, target); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(result)
	}
	return nil
}

func (p *program) printContents(contents mcp.ResourceContents, target *saving.Target) error {
	switch {
	case target != nil:
		line, err := p.binary(terminalText(contents.URI)+":", nameOfURI(contents.URI), contents.MIMEType, contents.Bytes, target)
		if err != nil {
			return err
		}
		if p.json {
			p.tell(line)
			return nil
		}
		return p.printLine(line)
	case p.json:
		return nil
	case !p.output().IsTerminal():
		exact, err := contents.Bytes()
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(exact)
		return err
	case contents.IsBlob():
		line, err := p.binary(terminalText(contents.URI)+":", "", contents.MIMEType, contents.Bytes, nil)
		if err != nil {
			return err
		}
		return p.printLine(line)
	default:
		return p.printLine(terminalText(contents.Text))
	}
}
