package httplink

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// canned answers without a network, so that the numbers are the link's, resty's
// and http.Client's alone.
type canned struct {
	header http.Header
	body   string
	length int64
}

func (c *canned) RoundTrip(request *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, request.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: c.header, Body: io.NopCloser(strings.NewReader(c.body)),
		ContentLength: c.length, Request: request,
	}, nil
}

type deafSink struct{}

func (deafSink) Accepted()           {}
func (deafSink) Arrived()            {}
func (deafSink) Deliver(mcp.Message) {}

func BenchmarkExchangeJSON(b *testing.B) {
	transport := &canned{header: http.Header{"Content-Type": {"application/json"}}, body: answer7, length: int64(len(answer7))}
	benchmarkExchange(b, transport)
}

func BenchmarkExchangeSSE(b *testing.B) {
	body := "event: message\ndata: " + answer7 + "\n\n"
	transport := &canned{header: http.Header{"Content-Type": {"text/event-stream"}}, body: body, length: -1}
	benchmarkExchange(b, transport)
}

func BenchmarkExchangeProgress(b *testing.B) {
	progress := `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":70,"progress":1}}` + "\n\n"
	body := strings.Repeat(progress, 1000) + "data: " + answer7 + "\n\n"
	transport := &canned{header: http.Header{"Content-Type": {"text/event-stream"}}, body: body, length: -1}
	benchmarkExchange(b, transport)
}

func BenchmarkExchangeLarge(b *testing.B) {
	body := `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}]}}`
	b.Run("JSON", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		benchmarkExchange(b, &canned{header: http.Header{"Content-Type": {"application/json"}}, body: body, length: int64(len(body))})
	})
	b.Run("SSE", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		benchmarkExchange(b, &canned{header: http.Header{"Content-Type": {"text/event-stream"}}, body: "data: " + body + "\n\n", length: -1})
	})
}

func benchmarkExchange(b *testing.B, transport http.RoundTripper) {
	link := New("bench", Config{BaseURL: "http://127.0.0.1/mcp"}, WithTransport(transport))
	defer link.Close(context.Background())
	out := call()
	out.WantEvents = false
	exchangeAgain(b, link, out)
}

func BenchmarkExchangeLoopback(b *testing.B) {
	server := serve(b, func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "application/json", answer7) })
	link, _ := open(b, Config{BaseURL: server.URL})
	exchangeAgain(b, link, call())
}

// BenchmarkExchangePooled is an exchange over a transport of ours, without the network.
func BenchmarkExchangePooled(b *testing.B) {
	link := New("bench", Config{BaseURL: "http://127.0.0.1/mcp"})
	defer link.Close(context.Background())
	link.transport = fixedTransport(&canned{header: http.Header{"Content-Type": {"application/json"}}, body: answer7, length: int64(len(answer7))})
	out := call()
	out.WantEvents = false
	exchangeAgain(b, link, out)
}

// BenchmarkExchangeLegacy is what the table of legacy exchanges costs.
func BenchmarkExchangeLegacy(b *testing.B) {
	transport := &canned{header: http.Header{"Content-Type": {"application/json"}}, body: answer7, length: int64(len(answer7))}
	link := New("bench", Config{BaseURL: "http://127.0.0.1/mcp"}, WithTransport(transport))
	defer link.Close(context.Background())
	out := resumable(7)
	out.WantEvents = false
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := link.Exchange(ctx, out, deafSink{}); err != nil {
			b.Fatal(err)
		}
	}
}

func exchangeAgain(b *testing.B, link *Link, out *transporters.Outbound) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := link.Exchange(ctx, out, deafSink{}); err != nil {
			b.Fatal(err)
		}
	}
}
