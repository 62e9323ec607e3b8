package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy is an HTTP server on a loopback port that passes everything on to
// another one and records the messages in its Log.
type Proxy struct {
	Log
	server    *http.Server
	ended     chan struct{}
	url       url.URL
	exchanges atomic.Int64
}

// exchangeKey is the context key of an exchange's number.
type exchangeKey struct{}

// StartProxy starts a proxy in front of the server at target, a URL whose path
// the proxy's own URL repeats. Close ends it.
func StartProxy(target string) (*Proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{url: *to, ended: make(chan struct{})}
	p.url.Host = listener.Addr().String()
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Host = "localhost:" + to.Port() // what guards against rebinding allow
		},
		ModifyResponse: p.follow,
		FlushInterval:  -1, // at once
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	p.server = &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(forward, w, r) }),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(p.ended)
		_ = p.server.Serve(listener)
	}()
	return p, nil
}

// URL is what the client is given in place of the target.
func (p *Proxy) URL() string { return p.url.String() }

// Close ends the proxy and the connections that are open.
func (p *Proxy) Close() error {
	err := p.server.Close()
	<-p.ended
	return err
}

// serve records a request and its messages, then passes it on.
func (p *Proxy) serve(forward http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	header := r.Header.Clone()
	if header.Get("Authorization") != "" {
		header.Set("Authorization", "***")
	}
	exchange := int(p.exchanges.Add(1))
	p.Add(Record{Kind: Request, Method: r.Method, Path: r.URL.Path, Header: header, Exchange: exchange})
	if r.Method == http.MethodPost {
		p.Add(messages(Record{Kind: FromClient, Header: header, Exchange: exchange}, body)...)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, exchange))
	forward.ServeHTTP(w, r)
}

// follow records the messages of an answer while it passes.
func (p *Proxy) follow(response *http.Response) error {
	exchange, _ := response.Request.Context().Value(exchangeKey{}).(int)
	p.Add(Record{Kind: Response, Method: response.Request.Method, Text: response.Status, Exchange: exchange})
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch kind {
	case "application/json", "text/event-stream":
		response.Body = &follower{
			ReadCloser: response.Body,
			log:        &p.Log,
			like:       Record{Kind: FromServer, Exchange: exchange},
			events:     kind == "text/event-stream",
		}
	}
	return nil
}

// follower sees a body on its way to the client.
type follower struct {
	io.ReadCloser
	log    *Log
	like   Record
	events bool
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Read records what it can before the client gets to see it.
func (f *follower) Read(into []byte) (int, error) {
	n, err := f.ReadCloser.Read(into)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buffer.Write(into[:n])
	if f.events {
		f.takeEvents()
	} else if err == io.EOF {
		f.log.Add(messages(f.like, f.buffer.Bytes())...)
		f.buffer.Reset()
	}
	return n, err
}

// takeEvents records the data of every complete event. Line ends are made one
// kind first, as far as they are known: a CR at the end may be half a CRLF.
func (f *follower) takeEvents() {
	text := bytes.ReplaceAll(f.buffer.Bytes(), []byte("\r\n"), []byte("\n"))
	for {
		event, rest, complete := bytes.Cut(text, []byte("\n\n"))
		if !complete {
			break
		}
		var data [][]byte
		name := "message"
		for line := range bytes.SplitSeq(event, []byte("\n")) {
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "data":
				data = append(data, value)
			case "event":
				name = string(value)
			}
		}
		if name == "message" {
			f.log.Add(messages(f.like, bytes.Join(data, []byte("\n")))...)
		}
		text = rest
	}
	text = bytes.Clone(text)
	f.buffer.Reset()
	f.buffer.Write(text)
}

// String describes a record in a few words.
func (r Record) String() string {
	switch r.Kind {
	case Request:
		return fmt.Sprintf("exchange %d: %s %s", r.Exchange, r.Method, r.Path)
	case Response:
		return fmt.Sprintf("exchange %d: %s", r.Exchange, r.Text)
	case Stderr, Exit:
		return fmt.Sprintf("%s: %s", r.Kind, r.Text)
	default:
		return fmt.Sprintf("exchange %d: %s: %.200s", r.Exchange, r.Kind, r.Message)
	}
}
