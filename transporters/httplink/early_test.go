package httplink

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A server may answer before it has read the request, and a transport may then go on
// to send it until the body of the response is closed, and a little longer.

// What a transport was given it has for itself: another attempt, with other
// credentials, takes nothing away from the one that is still being sent, nor does
// that from it (R112).
func TestRefusedBeforeItWasRead(t *testing.T) {
	const size = 4 << 20
	var incomplete []string
	server := serve(t, wanting("canary-t6", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Equal(body, longCall(size).Frame) {
			incomplete = append(incomplete, fmt.Sprintf("%d bytes, %v", len(body), err))
		}
		reply(w, 200, "application/json", answer7)
	}))
	for range 5 {
		link, _ := open(t, Config{BaseURL: server.URL}, WithAuthorizer(newKeyring()))
		_, err := link.Exchange(t.Context(), longCall(size), &sink{})
		require.NoError(t, err)
	}
	assert.Empty(t, incomplete)
}

func longCall(size int) *transporters.Outbound {
	out := call()
	out.Frame = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":%q,"params":{"name":"echo","arguments":{"text":%q}}}`, mcp.MethodCallTool, strings.Repeat("0123456789", size/10))
	return out
}

// lateReader is a transport that reads the request while its response is read, as
// net/http does if a server answers early.
type lateReader struct {
	t    *testing.T
	want string
}

func (l lateReader) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Request: request, ContentLength: -1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   &lateBody{Reader: strings.NewReader(answer7), look: func() { l.look(request) }},
	}, nil
}

func (l lateReader) look(request *http.Request) {
	assert.Equal(l.t, "session-1", request.Header.Get("Mcp-Session-Id"))
	assert.Equal(l.t, l.want, request.Header.Get("Authorization"))
	assert.NotEmpty(l.t, request.Host)
	assert.NotNil(l.t, request.Context().Value(exchangeKey{}))
	body, err := io.ReadAll(request.Body)
	assert.NoError(l.t, err)
	assert.Equal(l.t, string(call().Frame), string(body))
}

type lateBody struct {
	io.Reader
	look func()
}

func (b *lateBody) Read(p []byte) (int, error) {
	if b.look != nil {
		b.look()
		b.look = nil
	}
	return b.Reader.Read(p)
}

func (b *lateBody) Close() error { return nil }

// Nothing of a request is used for another one as long as its response is read.
func TestARequestIsWholeUntilItsResponseIsRead(t *testing.T) {
	for name, options := range map[string][]Option{
		"Bearer canary":    nil,
		"Bearer canary-t1": {WithAuthorizer(newKeyring())},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{BaseURL: "http://127.0.0.1/"}
			if options == nil {
				cfg.Token = config.NewSecret("canary")
			}
			link, _ := open(t, cfg, append(options, WithTransport(lateReader{t, name}))...)
			for range 3 {
				_, err := link.Exchange(t.Context(), call(), &sink{})
				require.NoError(t, err)
			}
		})
	}
}
