package httplink

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// completeHeader is all that a link sends with what the protocol asks for, if neither
// the call nor a trace nor an authorizer adds to it. That is the same from call to
// call, and is only read, so that any number of requests may have it at once.
type completeHeader struct {
	link       *Link
	protocol   http.Header // the very map that it was made for
	configured [][]string  // the values of the link's own headers at the time
	header     http.Header
}

// standsAside reports whether resty and http.Client need not see target and header of
// requests: the client is ours, which has no middleware, and what carries them
// changes neither. (A host that ends in a colon is left to net/http to correct.)
func (l *Link) standsAside() bool {
	return l.adopted == nil && l.pool != nil && l.endpoint.url != nil && !strings.HasSuffix(l.endpoint.url.Host, ":")
}

// complete returns the header of a request, to be read only; nil if it has to be made
// for this one.
func (l *Link) complete(ctx context.Context, protocol http.Header) (http.Header, error) {
	if !l.isAside || l.authorizer != nil || len(transporters.TraceHeaderOf(ctx)) > 0 {
		return nil, nil
	}
	if options := transporters.CallOptionsOf(ctx); options.Token != "" || len(options.Header) > 0 {
		return nil, nil
	}
	last, ok := l.kept.prepared.complete.Get().(*completeHeader)
	if !ok || !last.fits(l, protocol) {
		var err error
		if last, err = l.newCompleteHeader(protocol); err != nil {
			return nil, err
		}
	}
	l.kept.prepared.complete.Put(last)
	return last.header, nil
}

// newCompleteHeader makes what merge makes where nothing but the link and the protocol
// has a say.
func (l *Link) newCompleteHeader(protocol http.Header) (*completeHeader, error) {
	header := make(http.Header, len(protocol)+len(l.headers.configured)+1)
	made := &completeHeader{link: l, protocol: protocol, header: header}
	header[userAgentHeader] = l.headers.userAgent
	for _, configured := range l.headers.configured {
		value, err := configured.value()
		if err != nil {
			return nil, err
		}
		if value != nil {
			header[configured.name] = value
		}
		made.configured = append(made.configured, value)
	}
	mergeProtocol(header, protocol)
	return made, nil
}

// fits reports whether the header is what merge would make now. A value that cannot
// be had does not fit: newCompleteHeader says why.
func (c *completeHeader) fits(l *Link, protocol http.Header) bool {
	if c.link != l || reflect.ValueOf(c.protocol).UnsafePointer() != reflect.ValueOf(protocol).UnsafePointer() {
		return false
	}
	for i, configured := range l.headers.configured {
		if value, err := configured.value(); err != nil || !slices.Equal(value, c.configured[i]) {
			return false
		}
	}
	return true
}
