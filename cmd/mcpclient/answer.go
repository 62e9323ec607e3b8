package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/form"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// handlers serve what servers ask. Forms and pages are announced only where
// somebody is there to answer; a server that wants to ask learns at once, in a
// pipe, that it cannot.
func (p *program) handlers() (mcpclient.Handlers, error) {
	var handlers mcpclient.Handlers
	if p.isInteractive() {
		asker := p.asker()
		handlers.ElicitForm, handlers.ElicitURL = asker.Form, asker.URL
	}
	if p.level() != "" {
		handlers.Notification = func(_ string, message mcp.Message) { p.tellLog(message) }
	}
	roots, err := rootsOf(p.roots)
	if err != nil {
		return handlers, err
	}
	if len(roots) > 0 {
		handlers.ListRoots = func(context.Context, string) ([]mcp.Root, error) { return roots, nil }
		handlers.OfferDeprecated = true // who gives --root wants servers to know
	}
	return handlers, nil
}

// asker asks at the terminal.
func (p *program) asker() *form.Asker {
	if p.questions == nil {
		p.questions = form.NewAsker(form.NewLines(p.stdin), p.errorOutput(), p.bars().Pause)
	}
	return p.questions
}

// rootsOf makes roots of folders.
func rootsOf(folders []string) ([]mcp.Root, error) {
	var roots []mcp.Root
	for _, folder := range folders {
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return nil, usage("--root %s: %w", folder, err)
		}
		if info, err := os.Stat(absolute); err != nil {
			return nil, usage("--root: %w", err)
		} else if !info.IsDir() {
			return nil, usage("--root %s is no folder", folder)
		}
		path := filepath.ToSlash(absolute)
		if path[0] != '/' { // a drive of Windows
			path = "/" + path
		}
		address := url.URL{Scheme: "file", Path: path}
		roots = append(roots, mcp.Root{URI: address.String(), Name: filepath.Base(absolute)})
	}
	return roots, nil
}

// explainQuestions adds to the error of a call, where nobody could be asked, that
// this may be why.
func (p *program) explainQuestions(err error) error {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok || p.isInteractive() {
		return err
	}
	text := strings.ToLower(err.Error())
	if failure.Code == mcp.CodeMissingClientCapability || failure.Code == mcp.CodeURLElicitationRequired ||
		strings.Contains(text, "elicitation") || strings.Contains(text, mcp.ResultInputRequired) {
		return fmt.Errorf("%w; the server wants to ask something, which needs a terminal", err)
	}
	return err
}
