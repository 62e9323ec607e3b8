package stdiolink

import (
	"fmt"
	"iter"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// A line that cannot be used may still have been an answer, and its caller would
// wait until the timeout for what has come. So the ids of answers are looked for
// in it, by a scanner that trusts the text: on broken JSON it may find nothing,
// or the id of a call that the line was not for, but it ends.

// discard skips a line and fails every exchange that an answer in it was for,
// unless the line has no end.
func (l *Link) discard(line []byte, problem error) {
	l.skip(line, hclog.Warn, problem.Error())
	if l.cutOff {
		return // the process died while it wrote: its calls are lost, not answered
	}
	for object := range objectsIn(line) {
		if id, found := answeredID(object); found {
			l.failUnusable(id, problem)
		}
	}
}

func (l *Link) failUnusable(id uint64, problem error) {
	e := l.pending.take(id)
	if e == nil {
		return
	}
	e.sink.Arrived()
	e.failed <- &errors.TransporterRequestError{
		Kind:    errors.KindProtocol,
		Message: "the answer cannot be used",
		Err:     fmt.Errorf("%w: %w", errors.ErrProtocol, problem),
	}
}

// objectsIn gives the objects that stand one behind the other in a line, or in an
// array in it.
func objectsIn(line []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for pos := jsonscan.SkipSpace(line, 0); pos < len(line); pos = jsonscan.SkipSpace(line, pos) {
			switch line[pos] {
			case '{':
				end := jsonscan.Skip(line, pos)
				if !yield(line[pos:end]) {
					return
				}
				pos = end
			case '[', ',', ']':
				pos++
			default:
				return
			}
		}
	}
}

// answeredID returns the id of an object that is meant as an answer: it has a
// result or an error, or it is JSON-RPC and no request.
func answeredID(object []byte) (uint64, bool) {
	raw, found := jsonscan.Find(object, "id")
	if !found {
		return 0, false
	}
	id, ok := mcp.ID(raw).Uint64()
	if !ok {
		return 0, false
	}
	return id, has(object, "result") || has(object, "error") || has(object, "jsonrpc") && !has(object, "method")
}

func has(object []byte, member string) bool {
	value, found := jsonscan.Find(object, member)
	return found && string(value) != "null"
}
