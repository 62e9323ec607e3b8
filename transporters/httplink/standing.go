package httplink

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// longestRetryAfter caps what a server's Retry-After makes the standing stream
// wait.
const longestRetryAfter = 5 * time.Minute

// standing is one running Listen.
type standing struct {
	link     *Link
	protocol http.Header
	tried    func() // to be called once
	position position

	opened     bool // the stream was open once
	failures   int  // attempts in a row that brought nothing
	prompt     bool // the server ended the stream: the next attempt is due as it said
	retryAfter time.Duration
}

// Listen implements transporters.Standing. The stream may be silent for
// listen_read_timeout, its headers included, which by default is without limit:
// some servers send them with the first message, hours later. It is opened again
// with Last-Event-ID after exactly the pause the server gave, or 1 s; after
// refusals, and streams that end at once with nothing in them, the pause doubles
// to 30 s, until a message comes. 409 says that the server still has another
// stream of the session, and is waited for like any other refusal that may pass.
//
// Whoever must not miss what the server asks at once can wait for tried; apart
// from that it costs no call anything. Several may run at a time, each with a
// stream of its own.
func (l *Link) Listen(ctx context.Context, header http.Header, tried func()) error {
	l.listening.Add(1)
	defer l.listening.Add(-1)
	if tried == nil {
		tried = func() {}
	}
	s := standing{link: l, protocol: header, tried: sync.OnceFunc(tried)}
	defer s.tried()
	for {
		final, err := s.open(ctx)
		if final {
			return err
		}
		pause := max(s.pause(), s.retryAfter)
		l.log.Debug("the standing stream is down", "server", l.server, "reason", detail(err), "again_in", pause)
		if err := l.sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// sleep waits for a time, or for the end of ctx or the link.
func (l *Link) sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-l.life.Done():
		return context.Cause(l.life)
	}
}

// pause is the wait before the next attempt.
func (s *standing) pause() time.Duration {
	if s.prompt && s.failures == 1 {
		return s.position.pause(0)
	}
	return s.position.pause(s.failures)
}

// open makes one attempt and reads the stream to its end. final says that it was
// the last one.
func (s *standing) open(ctx context.Context) (final bool, err error) {
	s.prompt, s.retryAfter = false, 0
	l := s.link
	x := l.newExchange(ctx)
	defer x.finish()
	if err := l.ended(ctx); err != nil {
		return true, err
	}
	x.stall = l.listenReadTimeout
	response, err := s.get(x)
	switch {
	case x.Err() != nil && (ctx.Err() != nil || l.life.Err() != nil):
		return true, x.reason()
	case err != nil:
		s.failures++
		if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok && failure.Status != 0 && failure.Kind != errors.KindAuth {
			return true, s.notOffered(err) // a redirect, an unknown encoding
		}
		return false, err
	case !isSuccess(response.StatusCode):
		s.failures++
		return s.refused(x, response)
	case isEmptySuccess(response.StatusCode) || mediaTypeOf(response.Header) != mediaStream:
		x.stall = l.readTimeout
		return true, s.notOffered(l.foreignError(x, response))
	}
	err = s.read(x)
	return ctx.Err() != nil || l.life.Err() != nil, err
}

// get sends the request. Until the headers come the time limit of the stream
// holds.
func (s *standing) get(x *exchange) (*http.Response, error) {
	if x.stall > 0 {
		silence := time.AfterFunc(x.stall, x.stalled)
		defer silence.Stop()
	}
	response, err := s.link.perform(x, http.MethodGet, s.link.endpoint.target, nil, s.position.streamHeader(s.protocol))
	s.tried()
	if err != nil {
		return nil, x.outcome(err)
	}
	return response, nil
}

// read takes messages off the stream until it ends.
func (s *standing) read(x *exchange) error {
	l := s.link
	s.opened = true
	began := time.Now()
	l.log.Debug("the standing stream is open", "server", l.server)
	f := feed{link: l, reader: l.reader(x), name: "GET", position: s.position, pending: &l.pending}
	f.take = func(m mcp.Message) {
		if !l.pending.route(m) {
			l.hand(m)
		}
	}
	defer l.keepReader(f.reader)
	err := f.run()
	s.position = f.position
	s.prompt = true
	switch {
	case f.messages > 0, time.Since(began) >= longestBackoff:
		s.failures = 0
	default:
		s.failures++
	}
	if errors.Is(err, io.EOF) {
		return peerLost("the server ended the stream", nil)
	}
	return x.outcome(l.explain(x, err))
}

// refused judges a status.
func (s *standing) refused(x *exchange, response *http.Response) (final bool, err error) {
	err = s.link.statusError(x, response)
	refusal, ok := errors.AsType[*errors.TransporterRequestError](err)
	status := response.StatusCode
	switch {
	case !ok || refusal.Status == 0: // the link or the caller has ended
		return true, err
	case isSessionLoss(status, s.protocol):
		told := *refusal
		told.Kind, told.Delivery, told.Err = errors.KindSession, errors.DeliveryRefused, errors.ErrSessionLost
		if !s.opened {
			told.Err = &cause{"the session is lost, or the server has no standing stream", []error{errors.ErrSessionLost, transporters.ErrNotOffered}}
		}
		return true, &told
	case isTemporary(status), status == http.StatusUnauthorized, status == http.StatusForbidden:
		s.retryAfter = min(refusal.RetryAfter, longestRetryAfter)
		return false, err
	case s.position.lastEventID != "":
		s.position.lastEventID = "" // perhaps forgotten by the server; what came meanwhile is lost
		return false, err
	default:
		return true, s.notOffered(err)
	}
}

// notOffered completes the error that ends a Listen.
func (s *standing) notOffered(err error) error {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok {
		return err
	}
	told := *failure
	told.Err = &cause{"the server offers no standing stream", []error{transporters.ErrNotOffered}}
	return &told
}
