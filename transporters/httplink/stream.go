package httplink

import (
	"io"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/sse"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// maxFaultsLogged bounds what one bad stream writes into the log.
const maxFaultsLogged = 3

// stream reads the event stream of one exchange up to its answer.
type stream struct {
	link   *Link
	reader *sse.Reader
	c      conversation

	position position
	faults   faultLog
}

// receiveStream reads events until the answer. The answer ends the exchange at
// once; the rest is drained in the background (ruling 5).
func (l *Link) receiveStream(x *exchange, c conversation) (mcp.Message, error) {
	s := stream{link: l, c: c, reader: l.reader(x)}
	defer l.keepReader(s.reader)
	if c.waiter != nil {
		s.position = c.waiter.position
	}
	message, err := s.answer()
	if c.waiter != nil {
		c.waiter.position = s.position
	}
	if err != nil {
		return mcp.Message{}, s.explain(x, err)
	}
	x.tail = true
	return message, nil
}

// reader returns an event reader of the exchange's body, used before if
// possible.
func (l *Link) reader(x *exchange) *sse.Reader {
	limit := int(min(l.maxBytes, maxInt))
	if reader, ok := l.readers.Get().(*sse.Reader); ok {
		reader.Reset(x, limit)
		return reader
	}
	return sse.New(x, limit)
}

const maxInt = int64(^uint(0) >> 1)

// keepReader makes the reader forget its stream and keeps it.
func (l *Link) keepReader(reader *sse.Reader) {
	reader.Reset(nil, 0)
	l.readers.Put(reader)
}

// answer reads up to the answer.
func (s *stream) answer() (mcp.Message, error) {
	for {
		event, err := s.reader.Next()
		if err != nil {
			return mcp.Message{}, err
		}
		s.position.note(&event)
		if !isMessage(&event) {
			continue
		}
		if answer, found := s.take(event.Data); found {
			return answer, nil
		}
	}
}

// take deals with one event and reports whether it was the answer.
func (s *stream) take(data []byte) (answer mcp.Message, found bool) {
	message, err := jsonrpc.Scan(data)
	switch {
	case err == nil && s.c.isAnswer(&message):
		return s.own(message, data), true
	case err == nil:
		s.c.giveCopy(message)
	case errors.Is(err, jsonrpc.ErrBatch) && s.link.batches.Load():
		return s.takeBatch()
	default:
		s.fault(err)
	}
	return mcp.Message{}, false
}

// own makes the answer, the last event that is read, the owner of its bytes. A
// long one gets the reader's buffer, a short one is copied.
func (s *stream) own(message mcp.Message, data []byte) mcp.Message {
	taken := s.reader.Take()
	if &taken[0] == &data[0] {
		return message
	}
	message, _ = jsonrpc.Scan(taken) // the same bytes were fine before
	return message
}

func (s *stream) takeBatch() (answer mcp.Message, found bool) {
	messages, err := jsonrpc.ScanBatch(s.reader.Take())
	if err != nil {
		s.fault(err)
	}
	for _, message := range messages {
		if !found && s.c.isAnswer(&message) {
			answer, found = message, true
			continue
		}
		s.c.give(message)
	}
	return answer, found
}

// isMessage reports whether an event is to hold a message. Priming events (P22),
// the end mark of other APIs, and types that the protocol does not know (P23) are
// passed over in silence (D 66).
func isMessage(event *sse.Event) bool {
	return len(event.Data) > 0 && event.Type == "message" && string(event.Data) != "[DONE]"
}

func (s *stream) fault(err error) { s.faults.note(s.link, s.c.out.Method, err) }

// faultLog reports events that cannot be read; reading goes on, since what
// follows may be sound.
type faultLog int

func (f *faultLog) note(link *Link, method string, err error) {
	if *f++; *f <= maxFaultsLogged {
		link.log.Warn("an event is skipped", "server", link.server, "method", method,
			"fault", errors.PeerText(err.Error(), 200), "last_logged", *f == maxFaultsLogged)
	}
}

// explain says why the stream has no answer.
func (s *stream) explain(x *exchange, err error) error {
	if !errors.Is(err, io.EOF) {
		return s.link.explain(x, err)
	}
	text := "the event stream ended without an answer"
	if s.faults > 0 {
		text += "; events that could not be read were skipped"
	}
	if s.position.lastEventID != "" {
		text += "; the server offered to take it up again"
		if s.position.retry > 0 {
			text += " after " + s.position.retry.String()
		}
	}
	return peerLost(text, nil)
}
