package mcptest

import (
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// maxBodyBytes bounds the body of a POST.
const maxBodyBytes = 32 << 20

// Handler serves the server's endpoint over streamable HTTP, on whatever path it
// is mounted. Its requests are ended by Server.Close.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch request.Method {
		case http.MethodPost:
			s.servePost(w, request)
		case http.MethodGet:
			s.serveGet(w, request)
		case http.MethodDelete:
			write(w, s.deleteSession(request.Header))
		default:
			write(w, s.methodNotAllowed())
		}
	})
}

func (s *Server) servePost(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBodyBytes))
	if err != nil {
		write(w, httpAnswer{status: http.StatusRequestEntityTooLarge, text: err.Error()})
		return
	}
	stream := &eventStream{w: w, always: s.settings.answers == AnswersEventStream}
	stream.finish(s.post(request.Context(), request.Header.Clone(), body, s.emitting(stream.send)))
}

// serveGet is the standalone stream of a legacy session (R103).
func (s *Server) serveGet(w http.ResponseWriter, request *http.Request) {
	if !s.settings.standalone || !s.settings.sessions || !s.speaksLegacy() {
		write(w, s.methodNotAllowed())
		return
	}
	if !accepts(request.Header.Values("Accept"), "text/event-stream") {
		s.violate("R103", "GET without Accept: text/event-stream")
		write(w, httpAnswer{status: http.StatusNotAcceptable})
		return
	}
	c, bad := s.sessionOf(request.Header)
	if bad == nil {
		bad = c.checkVersionHeader(mcp.Version(request.Header.Get(mcp.HeaderProtocolVersion)))
	}
	if bad != nil {
		write(w, bad.answer(nil))
		return
	}
	stream := &eventStream{w: w}
	over := make(chan struct{})
	if !c.openStandalone(stream.send, sync.OnceFunc(func() { close(over) })) {
		write(w, httpAnswer{status: http.StatusConflict, text: "one standalone stream at a time\n"})
		return
	}
	defer c.closeStandalone()
	stream.open()
	select {
	case <-request.Context().Done():
	case <-c.ctx.Done():
	case <-over:
	}
	stream.close()
}

func (c *conversation) openStandalone(send func(mcp.Message), end func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.send != nil {
		return false
	}
	c.send, c.ending = send, end
	return true
}

func (c *conversation) closeStandalone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send, c.ending = nil, nil
}

// deleteSession ends a session on its client's wish (R102).
func (s *Server) deleteSession(header http.Header) httpAnswer {
	if !s.settings.sessions || !s.speaksLegacy() {
		return s.methodNotAllowed()
	}
	c, bad := s.sessionOf(header)
	if bad == nil {
		bad = c.checkVersionHeader(mcp.Version(header.Get(mcp.HeaderProtocolVersion)))
	}
	if bad != nil {
		return bad.answer(nil)
	}
	s.unregister(c)
	c.cancel(errAbandoned)
	return httpAnswer{status: http.StatusOK}
}

func (s *Server) methodNotAllowed() httpAnswer {
	allowed := []string{http.MethodPost}
	if s.speaksLegacy() && s.settings.sessions {
		allowed = append(allowed, http.MethodDelete)
		if s.settings.standalone {
			allowed = append(allowed, http.MethodGet)
		}
	}
	slices.Sort(allowed)
	return httpAnswer{status: http.StatusMethodNotAllowed, header: http.Header{"Allow": allowed}}
}

// write writes an answer that is not a stream.
func write(w http.ResponseWriter, answer httpAnswer) {
	for name, values := range answer.header {
		w.Header()[name] = values
	}
	body := []byte(answer.text)
	contentType := "text/plain; charset=utf-8"
	if !answer.message.IsZero() {
		body = answer.message.Raw
		contentType = "application/json"
	}
	if len(body) > 0 {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(body) // a client that went away needs no answer
}
