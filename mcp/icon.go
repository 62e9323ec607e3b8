package mcp

import (
	"encoding/json"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Icon is one icon of a tool, resource, prompt or implementation. Its source is
// untrusted: see R032 before fetching or showing it.
type Icon struct {
	// Src is a URL of scheme https or data.
	Src string `json:"src"`
	// MIMEType is what the server says the image is.
	MIMEType string `json:"mimeType,omitempty"`
	// Sizes holds widths and heights such as "48x48", or "any".
	Sizes []string `json:"sizes,omitempty"`
	// Theme is "light", "dark" or empty.
	Theme string `json:"theme,omitempty"`
}

// ParseIcons decodes an Icons field. Icons whose source is of another scheme
// than https or data are left out (R032).
func ParseIcons(raw json.RawMessage) []Icon {
	c := jsonscan.TrustedCursor(raw)
	if !c.Array() {
		return nil
	}
	var icons []Icon
	for c.Element() {
		if icon := readIcon(&c); isSafeIcon(icon.Src) && len(icons) < maxEntries {
			icons = append(icons, icon)
		}
	}
	return icons
}

func readIcon(c *jsonscan.Cursor) (icon Icon) {
	if !c.Object() {
		c.Value()
		return icon
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "src":
			icon.Src = readText(c)
		case "mimeType":
			icon.MIMEType = readText(c)
		case "sizes":
			icon.Sizes = readTexts(c)
		case "theme":
			icon.Theme = readText(c)
		default:
			c.Value()
		}
	}
	return icon
}

func isSafeIcon(source string) bool {
	scheme, _, found := strings.Cut(source, ":")
	return found && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "data"))
}
