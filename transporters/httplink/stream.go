package httplink

import (
	"io"
	"time"

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

	// Where the stream could be taken up again, and how long to wait before.
	lastEventID string
	retry       time.Duration

	faults int
}

// receiveStream reads events until the answer. The answer ends the exchange at
// once; the rest is drained in the background (ruling 5).
func (l *Link) receiveStream(x *exchange, c conversation) (mcp.Message, error) {
	s := stream{link: l, c: c, reader: l.reader(x)}
	defer l.keepReader(s.reader)
	message, err := s.answer()
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
		if event.HasID {
			s.lastEventID = event.ID
		}
		if event.HasRetry {
			s.retry = event.Retry
		}
		// Priming events (P22), the end mark of other APIs, and types that the
		// protocol does not know (P23) are passed over in silence (D 66).
		if len(event.Data) == 0 || string(event.Data) == "[DONE]" || event.Type != "message" {
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

// fault reports an event that cannot be read; reading goes on, since the answer
// may still come.
func (s *stream) fault(err error) {
	if s.faults++; s.faults <= maxFaultsLogged {
		s.link.log.Warn("an event is skipped", "server", s.link.server, "method", s.c.out.Method,
			"fault", errors.PeerText(err.Error(), 200), "last_logged", s.faults == maxFaultsLogged)
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
	if s.lastEventID != "" {
		text += "; the server offered to take it up again"
		if s.retry > 0 {
			text += " after " + s.retry.String()
		}
	}
	return peerLost(text, nil)
}
