package form

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// URL shows the user a page that a server wants opened: all of its address, its
// host first (R195, R200, R201). Nothing is fetched or opened here: the user does
// that, in a browser, and agrees (R199).
func (a *Asker) URL(ctx context.Context, server string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return a.converse(ctx, func() (*mcp.ElicitResult, error) {
		a.introduce(server, " to open a page", request.Message)
		address, err := url.Parse(request.URL)
		if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
			a.say(terminal.Red, "  it is no address of a page, and declined: "+terminal.Escape(bounded(request.URL)))
			return nil, errDeclined
		}
		a.say(terminal.Bold, "  at "+terminal.Escape(address.Hostname()))
		for _, warning := range oddities(address) {
			a.say(terminal.Yellow, "  careful: "+warning)
		}
		a.say(terminal.Cyan, "  "+terminal.Escape(request.URL))
		if _, err := a.consent(ctx, "Do you agree, and open it in a browser yourself? yes, no (decline), cancel: ", ""); err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: mcp.ElicitAccept}, nil
	})
}

// oddities warns of addresses that are not what they seem.
func oddities(address *url.URL) []string {
	var warnings []string
	host := address.Hostname()
	if address.Scheme == "http" && host != "localhost" && !strings.HasPrefix(host, "127.") && host != "::1" {
		warnings = append(warnings, "the connection is not encrypted")
	}
	if address.User != nil {
		warnings = append(warnings, "what stands before the @ is a user's name, not the host")
	}
	if len(host) != utf8.RuneCountInString(host) || strings.Contains(host, "xn--") {
		warnings = append(warnings, "the host's name has letters that may look like others")
	}
	return warnings
}
