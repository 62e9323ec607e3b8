package main

import (
	"encoding/base64"
	"fmt"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// printContent writes one block for people: text as it is, other things as a
// line that names them.
func (p *program) printContent(block mcp.Content) error {
	switch {
	case block.Type == mcp.ContentText:
		return p.printLine(terminalText(block.Text))
	case block.Type == mcp.ContentImage, block.Type == mcp.ContentAudio:
		return p.printLine(fmt.Sprintf("[%s %s, %d bytes]", block.Type, cell(block.MIMEType), decodedLength(block.Data)))
	case block.Type == mcp.ContentResourceLink:
		return p.printLine(fmt.Sprintf("[resource %s: %s]", cell(block.Name), terminalText(block.URI)))
	case block.Resource != nil && !block.Resource.IsBlob():
		return p.printLine(terminalText(block.Resource.Text))
	case block.Resource != nil:
		return p.printLine(blobLine(*block.Resource))
	default:
		return p.printJSON(block.Raw)
	}
}

func blobLine(contents mcp.ResourceContents) string {
	return fmt.Sprintf("[%s: %s, %d bytes]", terminalText(contents.URI), cell(contents.MIMEType), decodedLength(contents.Blob))
}

func decodedLength(data string) int {
	decoded, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return len(data)
	}
	return len(decoded)
}
