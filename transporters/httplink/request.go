package httplink

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/go-resty/resty/v2"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// Exchange implements transporters.Link: one POST, whose answer is read here.
// An HTTP status without an answer is a Reply; a redirect, a web page and a
// stream that ends too early are errors. With out.Resumable a stream that breaks
// is resumed, and the answer may come on another one.
func (l *Link) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if out.Resumable {
		return l.exchangeLegacy(ctx, out, sink)
	}
	return l.post(ctx, conversation{link: l, out: out, sink: sink})
}

// post sends the request and reads what its response brings.
func (l *Link) post(ctx context.Context, c conversation) (transporters.Reply, error) {
	x := l.newExchangeFor(ctx, c.sink)
	defer x.finish()
	if err := l.ready(ctx); err != nil {
		return transporters.Reply{}, err
	}
	c.follow(x)
	c.sink.Accepted()
	response, err := l.perform(x, http.MethodPost, l.endpoint.target, c.out.Frame, c.out.Header)
	if err != nil {
		return transporters.Reply{}, x.outcome(err)
	}
	reply, err := l.receive(x, response, c)
	if err != nil {
		return transporters.Reply{}, x.outcome(err)
	}
	return reply, nil
}

// Send implements transporters.Link: one POST, for which any 2xx status is
// success (R097). What the answer's body says is not read.
func (l *Link) Send(ctx context.Context, out *transporters.Outbound) error {
	x := l.newExchange(ctx)
	defer x.finish()
	x.statusSuffices = true
	if err := l.ready(ctx); err != nil {
		return err
	}
	response, err := l.perform(x, http.MethodPost, l.endpoint.target, out.Frame, out.Header)
	if err != nil {
		return x.outcome(err)
	}
	if isSuccess(response.StatusCode) {
		x.tail = response.ContentLength != 0
		return nil
	}
	return l.statusError(x, response)
}

// Terminate implements transporters.Terminator: the DELETE that ends a session
// (R102). That the server does not offer it (405), or has forgotten the session
// already (404), is no error.
func (l *Link) Terminate(ctx context.Context, header http.Header) error {
	x := l.newExchange(ctx)
	defer x.finish()
	x.statusSuffices = true
	if err := l.ready(ctx); err != nil {
		return err
	}
	response, err := l.perform(x, http.MethodDelete, l.endpoint.target, nil, header)
	if err != nil {
		return x.outcome(err)
	}
	switch {
	case isSuccess(response.StatusCode), response.StatusCode == http.StatusNotFound, response.StatusCode == http.StatusMethodNotAllowed:
		x.tail = response.ContentLength != 0
		return nil
	default:
		return l.statusError(x, response)
	}
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// ready reports what keeps a request from being begun at all, as an error that
// wraps ErrNotSent.
func (l *Link) ready(ctx context.Context) error { return unsent(l.ended(ctx)) }

// ended is ready about what is no request of the session's own, but belongs to
// one that may have been sent before.
func (l *Link) ended(ctx context.Context) error {
	switch {
	case l.fault != nil:
		return l.fault
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case l.life.Err() != nil:
		return context.Cause(l.life)
	default:
		return nil
	}
}

// perform sends one request and returns its response, whose body belongs to the
// exchange. A redirect that was not followed is an error, and so is a panic of the
// user's round tripper, middleware or header function: much is sent on goroutines
// of ours, where nobody else could catch it.
func (l *Link) perform(x *exchange, method, target string, frame []byte, protocol http.Header) (response *http.Response, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			l.log.Error("a callback panicked while a request was sent", "server", l.server, "panic", cause, "stack", string(debug.Stack()))
			response, err = nil, fmt.Errorf("a callback panicked while the request was sent: %v", cause)
		}
	}()
	complete, err := l.complete(x.values, protocol)
	if err != nil {
		return nil, notSent(err)
	}
	if complete != nil {
		return l.sendComplete(x, method, target, frame, complete)
	}
	header := l.kept.prepared.header(len(protocol) + len(l.headers.configured) + 2)
	defer l.kept.prepared.keepHeader(header)
	if err := l.headers.merge(x.values, protocol, header); err != nil {
		return nil, notSent(err)
	}
	if l.authorizer != nil && header[authorizationHeader] == nil {
		return l.authorized(x, method, target, frame, header)
	}
	return l.send(x, method, target, frame, header)
}

// send is perform for a header that is this request's own.
func (l *Link) send(x *exchange, method, target string, frame []byte, header http.Header) (*http.Response, error) {
	l.credentials.sent(header)
	x.header = nil
	return l.execute(x, method, target, frame, header)
}

// sendComplete is perform for a header that is only to be read. Resty does not get to
// see it.
func (l *Link) sendComplete(x *exchange, method, target string, frame []byte, header http.Header) (*http.Response, error) {
	l.credentials.sent(header)
	x.header = header
	return l.execute(x, method, target, frame, l.kept.prepared.stub)
}

// execute has resty carry out the request, whose header may be set aside in x.
func (l *Link) execute(x *exchange, method, target string, frame []byte, header http.Header) (*http.Response, error) {
	request := l.kept.prepared.request(l.kept.client)
	defer l.kept.prepared.keepRequest(request)
	request.SetContext(x)
	request.Header = header
	x.target = nil
	if l.isAside && target == l.endpoint.target {
		x.target, target = l.endpoint.url, stubTarget
	}
	if frame != nil {
		request.Body = x.newBody(frame)
	}
	answer, err := request.Execute(method, target)
	if err != nil {
		return nil, l.requestError(x, answer, err)
	}
	response := answer.RawResponse
	x.body = response.Body
	if err := l.redirectError(x, response); err != nil {
		return nil, err
	}
	return response, l.decompress(x, response)
}

// requestError explains why there is no response. resty returns no response at
// all where it did not get as far as sending.
func (l *Link) requestError(x *exchange, answer *resty.Response, err error) error {
	if answer == nil {
		return l.explain(x, &preparationError{err})
	}
	if answer.RawResponse != nil {
		_ = answer.RawResponse.Body.Close()
	}
	return l.explain(x, err)
}
