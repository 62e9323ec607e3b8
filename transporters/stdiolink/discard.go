package stdiolink

import (
	"fmt"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
)

// discard skips a line and fails every exchange that an answer in it was for,
// unless the line has no end: its caller would wait until the timeout for what
// has come.
func (l *Link) discard(line []byte, problem error) {
	l.skip(line, hclog.Warn, problem.Error())
	if l.cutOff {
		return // the process died while it wrote: its calls are lost, not answered
	}
	for id := range jsonrpc.AnsweredIDs(line) {
		l.failUnusable(id, problem)
	}
}

func (l *Link) failUnusable(id uint64, problem error) {
	e := l.pending.take(id)
	if e == nil {
		return
	}
	e.fail(&errors.TransporterRequestError{
		Kind:    errors.KindProtocol,
		Message: "the answer cannot be used",
		Err:     fmt.Errorf("%w: %w", errors.ErrProtocol, problem),
	})
}
