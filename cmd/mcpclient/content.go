package main

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/saving"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// outFlags are --out and --force: where a command puts what is no text.
type outFlags struct {
	path  string
	force bool
}

func (f *outFlags) add(command *cobra.Command, what string) {
	command.Flags().StringVar(&f.path, "out", "", "save "+what+" into this folder (an existing one, or ending in /) or `file`")
	command.Flags().BoolVar(&f.force, "force", false, "let --out overwrite a file")
}

// open opens the target; nil if there is none.
func (f *outFlags) open() (*saving.Target, error) {
	if f.path == "" {
		if f.force {
			return nil, usage("--force is about --out, which is not given")
		}
		return nil, nil
	}
	return saving.Open(f.path, f.force)
}

// closeTarget tells if nothing was saved, which whoever asked for files wants to
// know.
func (p *program) closeTarget(target *saving.Target) {
	if target == nil {
		return
	}
	if target.Count() == 0 {
		p.warn("there was nothing to save")
	}
	_ = target.Close()
}

// printContent writes one block for people: text as it is, other things as a
// line that names them and, where there is a target, the file they are in now.
func (p *program) printContent(block mcp.Content, name string, target *saving.Target) error {
	switch {
	case block.Type == mcp.ContentText:
		return p.printLine(terminalText(block.Text))
	case block.Type == mcp.ContentImage, block.Type == mcp.ContentAudio:
		line, err := p.binary(block.Type, name, block.MIMEType, block.Bytes, target)
		if err != nil {
			return err
		}
		return p.printLine(line)
	case block.Type == mcp.ContentResourceLink:
		return p.printLine(fmt.Sprintf("[resource %s: %s]", cell(block.Name), terminalText(block.URI)))
	case block.Resource != nil && !block.Resource.IsBlob():
		return p.printLine(terminalText(block.Resource.Text))
	case block.Resource != nil:
		resource := *block.Resource
		line, err := p.binary(terminalText(resource.URI)+":", nameOfURI(resource.URI), resource.MIMEType, resource.Bytes, target)
		if err != nil {
			return err
		}
		return p.printLine(line)
	default:
		return p.printJSON(block.Raw)
	}
}

// binary saves what is no text, if there is a target, and returns the line that
// stands for it.
func (p *program) binary(what, name, mimeType string, decode func() ([]byte, error), target *saving.Target) (string, error) {
	data, err := decode()
	switch {
	case err != nil && target == nil:
		return fmt.Sprintf("[%s %s, not base64]", what, cell(mimeType)), nil
	case err != nil:
		return "", fmt.Errorf("%s cannot be saved: %w", what, err)
	}
	line := fmt.Sprintf("%s %s, %d bytes", what, cell(mimeType), len(data))
	if target == nil {
		return "[" + line + "]", nil
	}
	path, err := target.Save(name, mimeType, data)
	if err != nil {
		return "", err
	}
	return "[" + line + ", saved as " + terminalText(path) + "]", nil
}

// saveContent saves what is no text of a block, and tells on stderr, for where
// stdout is JSON.
func (p *program) saveContent(block mcp.Content, name string, target *saving.Target) error {
	var line string
	var err error
	switch {
	case target == nil:
		return nil
	case block.Type == mcp.ContentImage, block.Type == mcp.ContentAudio:
		line, err = p.binary(block.Type, name, block.MIMEType, block.Bytes, target)
	case block.Resource != nil && block.Resource.IsBlob():
		line, err = p.binary("resource", nameOfURI(block.Resource.URI), block.Resource.MIMEType, block.Resource.Bytes, target)
	}
	if err == nil && line != "" {
		p.tell(line)
	}
	return err
}

// tell writes a remark to stderr.
func (p *program) tell(text string) {
	if !p.quiet {
		p.bars().Above(p.errorOutput().Paint(terminal.Dim, terminal.Escape(text)))
	}
}

// nameOfURI proposes a file's name for a resource: the end of its path.
func nameOfURI(uri string) string {
	if address, err := url.Parse(uri); err == nil {
		if path := strings.TrimRight(address.Path+address.Opaque, "/"); path != "" {
			return path
		}
		return address.Host
	}
	return uri
}
