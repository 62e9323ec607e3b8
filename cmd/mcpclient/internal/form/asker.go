package form

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	peererrors "github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	// maxQuestions bounds how often servers may ask during one run (R206).
	maxQuestions = 20
	// maxText bounds a server's text, in bytes.
	maxText = 4000
	// maxTitle bounds a server's word, in bytes.
	maxTitle = 200
)

// errDeclined and errCancelled end a conversation before its time.
var (
	errDeclined  = errors.New("declined")
	errCancelled = errors.New("cancelled")
)

// Asker asks one question at a time, however many servers ask.
type Asker struct {
	lines *Lines
	out   *terminal.Output
	// pause frees the terminal of what else is drawn there.
	pause func() (resume func())

	turn  chan struct{} // holds a token while nobody is asked
	asked int
}

// NewAsker asks on out and gets answers from lines. pause is called before each
// question, what it returns after it.
func NewAsker(lines *Lines, out *terminal.Output, pause func() (resume func())) *Asker {
	turn := make(chan struct{}, 1)
	turn <- struct{}{}
	return &Asker{lines: lines, out: out, pause: pause, turn: turn}
}

// converse has a conversation, when it is its turn, and makes an answer of it.
func (a *Asker) converse(ctx context.Context, talk func() (*mcp.ElicitResult, error)) (*mcp.ElicitResult, error) {
	select {
	case <-a.turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { a.turn <- struct{}{} }()
	defer a.pause()()
	if a.asked++; a.asked > maxQuestions {
		a.say(terminal.Yellow, fmt.Sprintf("servers have asked %d times; further questions are declined", maxQuestions))
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	}
	answer, err := talk()
	switch {
	case errors.Is(err, errDeclined):
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	case errors.Is(err, errCancelled), errors.Is(err, io.EOF):
		a.say(terminal.Plain, "")
		return &mcp.ElicitResult{Action: mcp.ElicitCancel}, nil
	default:
		return answer, err
	}
}

// introduce says who asks for what (R195).
func (a *Asker) introduce(server, wants, message string) {
	a.say(terminal.Bold, fmt.Sprintf("The server %q asks you%s:", server, wants))
	a.say(terminal.Plain, indent(terminal.Escape(bounded(message))))
}

func (a *Asker) say(style terminal.Style, text string) {
	_, _ = io.WriteString(a.out, a.out.Paint(style, text)+"\n")
}

// prompt asks for a line.
func (a *Asker) prompt(ctx context.Context, text string) (string, error) {
	_, _ = io.WriteString(a.out, text)
	line, err := a.lines.Next(ctx)
	if err != nil {
		a.say(terminal.Plain, "")
	}
	return strings.TrimSpace(line), err
}

// choose asks for one of several words, of which a beginning is enough. Where
// fallback is not empty, so is an empty line.
func (a *Asker) choose(ctx context.Context, text, fallback string, words ...string) (string, error) {
	for {
		line, err := a.prompt(ctx, text)
		if err != nil {
			return "", err
		}
		if line == "" && fallback != "" {
			return fallback, nil
		}
		for _, word := range words {
			if line != "" && strings.HasPrefix(word, strings.ToLower(line)) {
				return word, nil
			}
		}
		a.say(terminal.Yellow, "  one of "+strings.Join(words, ", ")+" is wanted")
	}
}

// consent asks whether to go on.
func (a *Asker) consent(ctx context.Context, text, fallback string, more ...string) (string, error) {
	word, err := a.choose(ctx, text, fallback, append([]string{"yes", "no", "cancel"}, more...)...)
	switch {
	case err != nil:
		return "", err
	case word == "no":
		return "", errDeclined
	case word == "cancel":
		return "", errCancelled
	default:
		return word, nil
	}
}

func bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "..."
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// word makes a server's word fit for a line.
func word(text string) string { return peererrors.PeerText(text, maxTitle) }
