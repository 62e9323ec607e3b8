package httplink

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// endpointTimeout bounds the wait for the endpoint event once the stream is
// open. Servers send it at once; streams of another kind never do.
const endpointTimeout = 10 * time.Second

// Start implements transporters.Link: it opens the stream and waits for its
// first event, which must name the endpoint. ctx bounds that, and the event has
// 10 s from the stream's headers on. A failed Start may be repeated.
func (s *SSELink) Start(ctx context.Context, in func(from transporters.Link, m mcp.Message)) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	switch {
	case s.http.fault != nil:
		return s.http.fault
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.life.Err() != nil:
		return context.Cause(s.life)
	case s.target.Load() != nil:
		return errors.New("sse link: started twice")
	case in == nil:
		in = func(transporters.Link, mcp.Message) {}
	}
	s.in = in
	x := s.http.newExchangeWithin(ctx, s.life)
	f, err := s.open(x)
	if err != nil {
		x.end()
		return err
	}
	if !x.unfollow() { // ctx has ended just now, and taken the stream along
		x.end()
		return context.Cause(ctx)
	}
	x.stall = s.http.listenReadTimeout
	if !s.spawn(func() { s.read(x, f) }) {
		s.http.keepReader(f.reader)
		x.end()
		return closedError()
	}
	return nil
}

// open sends the GET and reads the stream up to its endpoint event.
func (s *SSELink) open(x *exchange) (*feed, error) {
	l := s.http
	var position position
	response, err := l.perform(x, http.MethodGet, l.endpoint.target, nil, position.streamHeader(nil))
	switch {
	case err != nil:
		return nil, x.outcome(err)
	case !isSuccess(response.StatusCode):
		return nil, l.statusError(x, response)
	case isEmptySuccess(response.StatusCode) || mediaTypeOf(response.Header) != mediaStream:
		x.stall = l.readTimeout
		return nil, l.foreignError(x, response)
	}
	limit := time.AfterFunc(endpointTimeout, func() {
		text := fmt.Sprintf("the event stream named no endpoint within %v", endpointTimeout)
		x.cancel(s.notSSE(text))
	})
	defer limit.Stop()
	f := &feed{link: l, reader: l.reader(x), name: "GET", take: s.take, pending: &s.pending}
	target, err := s.endpoint(x, f, response.Request.URL)
	if err != nil {
		l.keepReader(f.reader)
		return nil, err
	}
	s.target.Store(&target)
	return f, nil
}

// endpoint reads the first event and returns the URL in it. Comments and events
// that are neither it nor a message are passed over.
func (s *SSELink) endpoint(x *exchange, f *feed, base *url.URL) (string, error) {
	for {
		event, err := f.reader.Next()
		switch {
		case errors.Is(err, io.EOF) && x.Err() == nil:
			return "", s.notSSE("the event stream ended before it named an endpoint")
		case err != nil:
			return "", s.http.explain(x, err)
		case event.Type == "endpoint" && len(event.Data) > 0:
			return s.resolve(x, base, string(event.Data))
		case isMessage(&event):
			return "", s.notSSE("the first event of the stream is a message, not the endpoint")
		}
	}
}

// resolve makes the URL for messages of what the server gave, relative to that
// of the stream (B70, B71). It must be of the same origin, for credentials go
// there (R117).
func (s *SSELink) resolve(x *exchange, base *url.URL, reference string) (string, error) {
	given, err := url.Parse(reference)
	if err != nil {
		return "", s.notSSE("the endpoint is not a URL") // the error would show its query
	}
	target := base.ResolveReference(given)
	target.Fragment, target.RawFragment = "", ""
	switch {
	case target.User != nil && given.User != nil:
		return "", s.notSSE("the endpoint has a user name in it")
	case !sameOrigin(target, s.http.endpoint.url):
		text := fmt.Sprintf("the endpoint %s is of another origin than the stream %s, where no credentials are sent to; the server, or the proxy before it, has to announce an address of the same origin",
			s.http.peerText(x, displayable(target), snippetBytes), s.http.endpoint.shown)
		return "", s.notSSE(text)
	}
	return target.String(), nil
}

// notSSE is the error of a server that opens a stream but does not speak
// HTTP+SSE on it.
func (s *SSELink) notSSE(text string) error {
	return &errors.TransporterRequestError{Kind: errors.KindProtocol, Message: text, Err: errors.ErrNotMCP}
}
