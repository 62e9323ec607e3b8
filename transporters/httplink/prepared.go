package httplink

import (
	"context"
	"net/http"
	"sync"

	"github.com/go-resty/resty/v2"
)

// kept is what a link keeps between requests. Links that share a pool have one in
// common: nothing of it knows which link it was used by.
type kept struct {
	client      *resty.Client // ours, or the user's
	userAgent   []string
	prepared    prepared
	stallTimers stallTimers
}

func newKept() *kept {
	k := &kept{client: newClient(), userAgent: userAgent()}
	k.prepared.stub = stubHeader()
	return k
}

// stubTarget and stubHeader are what resty gets to see of a request whose target and
// header it need not know. It parses the one twice, copies the other, and finds
// nothing in it to add to.
const stubTarget = "http:"

func stubHeader() http.Header {
	return http.Header{"Accept": {"-"}, "Content-Type": {"-"}, userAgentHeader: {"-"}}
}

// prepared keeps what resty and a request's header need, for the next request:
// resty takes seven allocations for a request of its own, and copies the header
// before it is sent. What net/http may still read after an exchange, the body
// above all, is never kept. The zero value is ready, and safe for concurrent use.
type prepared struct {
	isOff    bool      // middleware of a user's client may hold on to what it saw
	requests sync.Pool // of *resty.Request
	headers  sync.Pool // of http.Header
	complete sync.Pool // of *completeHeader
	stub     http.Header
}

// request returns a request of the client, whose response is not parsed.
func (p *prepared) request(client *resty.Client) *resty.Request {
	if request, ok := p.requests.Get().(*resty.Request); ok {
		return request
	}
	return client.R().SetDoNotParseResponse(true)
}

// keepRequest takes a request back that was executed.
func (p *prepared) keepRequest(request *resty.Request) {
	if p.isOff {
		return
	}
	request.SetContext(context.Background())
	request.Header, request.Body, request.RawRequest, request.URL = nil, nil, nil, ""
	p.requests.Put(request)
}

// header returns an empty header with room for about so many names.
func (p *prepared) header(names int) http.Header {
	if header, ok := p.headers.Get().(http.Header); ok {
		return header
	}
	return make(http.Header, names)
}

// keepHeader takes a header back that nobody reads any more.
func (p *prepared) keepHeader(header http.Header) {
	if p.isOff {
		return
	}
	clear(header)
	p.headers.Put(header)
}
