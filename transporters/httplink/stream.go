package httplink

import (
	"io"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/internal/sse"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// maxFaultsLogged bounds what one bad stream writes into the log.
const maxFaultsLogged = 3

// stream reads the event stream of one exchange up to its answer.
type stream struct {
	link     *Link
	exchange *exchange
	reader   *sse.Reader
	c        conversation
	reports  transporters.ReportSink // nil: reports are messages like any other

	position position
	faults   faultLog
}

// receiveStream reads events until the answer. The answer ends the exchange at
// once; the rest is drained in the background.
func (l *Link) receiveStream(x *exchange, c conversation) (mcp.Message, error) {
	s := stream{link: l, exchange: x, c: c, reader: l.reader(x)}
	defer l.keepReader(s.reader)
	s.reports = c.reportSink()
	if c.waiter != nil {
		s.position = c.waiter.position
	}
	message, err := s.answer()
	x.endReports()
	if c.waiter != nil {
		c.waiter.position = s.position
	}
	switch {
	case err == nil, errors.Is(err, errUnusable):
		x.tail = true
		return message, err
	default:
		return mcp.Message{}, s.explain(x, err)
	}
}

// reader returns an event reader of the exchange's body, used before if
// possible.
func (l *Link) reader(x *exchange) *sse.Reader {
	limit := int(min(l.maxBytes, maxInt))
	if reader, ok := l.readers.Get().(*sse.Reader); ok {
		reader.Reset(x, limit)
		return reader
	}
	reader := sse.New(x, limit)
	reader.ExpectLongEvent(int(l.longEvent.Load())) // what the collector took is not to be learnt again
	return reader
}

const maxInt = int64(^uint(0) >> 1)

// keepReader makes the reader forget its stream and keeps it.
func (l *Link) keepReader(reader *sse.Reader) {
	reader.Reset(nil, 0)
	l.longEvent.Store(int64(reader.LongEvent()))
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
		if answer, err := s.take(event.Data); err != nil || !answer.IsZero() {
			return answer, err
		}
	}
}

// take deals with one event and returns the answer if it is that. The error is
// about an answer that cannot be used.
func (s *stream) take(data []byte) (answer mcp.Message, err error) {
	if s.reports != nil && s.takeReport(data) {
		return mcp.Message{}, nil
	}
	s.exchange.endReports()
	message, err := jsonrpc.Scan(data)
	switch {
	case err == nil && s.c.isAnswer(&message):
		return s.own(message, data), nil
	case err == nil:
		s.c.giveCopy(message)
		return mcp.Message{}, nil
	case errors.Is(err, jsonscan.ErrUTF8), errors.Is(err, jsonrpc.ErrBatch) && s.link.batches.Load():
		return s.takeSeveral(s.reader.Take())
	default:
		return mcp.Message{}, s.discard(data, err)
	}
}

// own makes the answer, the last event that is read, the owner of its bytes. A
// long one gets the reader's buffer, a short one is copied.
func (s *stream) own(message mcp.Message, data []byte) mcp.Message {
	taken := s.reader.Take()
	if &taken[0] == &data[0] {
		return message
	}
	return jsonrpc.Move(message, data, taken)
}

// takeSeveral is take for a batch, or for what has to be repaired first.
func (s *stream) takeSeveral(data []byte) (answer mcp.Message, err error) {
	messages, fault := s.link.scanBatch(s.c.out.Method, data)
	for _, message := range messages {
		if answer.IsZero() && s.c.isAnswer(&message) {
			answer = message
			continue
		}
		s.c.give(message)
	}
	if fault != nil {
		err = s.discard(data, fault)
	}
	if !answer.IsZero() {
		return answer, nil
	}
	return mcp.Message{}, err
}

// discard skips an event that cannot be used. If an answer is in it, whoever
// waits for that fails: the error is for this very exchange.
func (s *stream) discard(data []byte, problem error) error {
	s.faults.note(s.link, s.c.out.Method, problem)
	var err error
	for id := range jsonrpc.AnsweredIDs(data) {
		switch {
		case id == s.c.out.ID:
			err = unusableError(problem)
		case s.c.waiter != nil:
			s.link.pending.fail(id, unusableError(problem))
		}
	}
	return err
}

// isMessage reports whether an event is to hold a message. Priming events (P22),
// the end mark of other APIs, and types that the protocol does not know (P23) are
// passed over in silence.
func isMessage(event *sse.Event) bool {
	return len(event.Data) > 0 && event.Type == "message" && string(event.Data) != "[DONE]"
}

// faultLog reports events that cannot be read; reading goes on, since what
// follows may be sound.
type faultLog int

func (f *faultLog) note(link *Link, method string, err error) {
	if *f++; *f > maxFaultsLogged {
		return
	}
	text := errors.PeerText(err.Error(), 200)
	link.log.Warn("an event is skipped", "server", link.server, "method", method, "fault", text, "last_logged", *f == maxFaultsLogged)
	link.report("an event is skipped: " + text)
}

// OnFault implements transporters.FaultReporter: events and parts of batches that
// are no messages.
func (l *Link) OnFault(report func(error)) { l.onFault = report }

// OnFault implements transporters.FaultReporter.
func (s *SSELink) OnFault(report func(error)) { s.http.OnFault(report) }

func (l *Link) report(fault string) {
	if l.onFault != nil {
		l.onFault(&errors.TransporterRequestError{Kind: errors.KindProtocol, Message: fault, Err: errors.ErrProtocol})
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
