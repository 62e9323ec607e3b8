package chaos

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

func (e exchange) json(status int, body string) {
	e.w.Header().Set("Content-Type", "application/json")
	e.w.WriteHeader(status)
	_, _ = io.WriteString(e.w, body)
}

// begin begins an event stream.
func (e exchange) begin() {
	e.w.Header().Set("Content-Type", "text/event-stream")
	e.w.WriteHeader(http.StatusOK)
	e.flush()
}

func (e exchange) event(data string) {
	_, _ = io.WriteString(e.w, "data: "+data+"\n\n")
	e.flush()
}

func (e exchange) flush() { _ = http.NewResponseController(e.w).Flush() }

// wait waits, or until the client has gone.
func (e exchange) wait(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.r.Context().Done():
	}
}

func answerJSON(_ *server, e exchange) { e.json(http.StatusOK, e.answer()) }

func answerEvents(_ *server, e exchange) {
	e.begin()
	_, _ = io.WriteString(e.w, ": hello\n\nevent: ping\ndata: x\n\n")
	e.event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	e.event(e.progress(e.id)) // the client's tokens are its ids
	e.event(e.answer())
}

// answerAndStay leaves its stream open behind the answer.
func answerAndStay(_ *server, e exchange) {
	e.begin()
	e.event(e.answer())
	e.event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"late"}}`)
	<-e.r.Context().Done()
}

func answerSlowly(s *server, e exchange) {
	e.wait(time.Duration(20+s.chance(30)) * time.Millisecond)
	answerJSON(s, e)
}

// answerResumed ends its stream before the answer, which comes when it is taken
// up again. A modern server has no such thing.
func answerResumed(s *server, e exchange) {
	if e.session == "" {
		answerEvents(s, e)
		return
	}
	e.begin()
	_, _ = fmt.Fprintf(e.w, "id: %s/%s\nretry: 50\ndata:\n\n", e.key, e.id)
}

// answerElsewhere gives the answer on the standing stream, if there is one.
func answerElsewhere(s *server, e exchange) {
	e.begin()
	if !s.push(e.session, e.answer()) {
		e.event(e.answer())
		return
	}
	<-e.r.Context().Done()
}

func cutHead(*server, exchange) { panic(http.ErrAbortHandler) }

func cutJSON(_ *server, e exchange) {
	e.w.Header().Set("Content-Length", fmt.Sprint(len(e.answer())))
	e.json(http.StatusOK, e.answer()[:20])
	e.flush()
	panic(http.ErrAbortHandler)
}

func cutStream(s *server, e exchange) {
	e.begin()
	e.event(e.progress(e.id))
	_, _ = io.WriteString(e.w, "data: "+e.answer()[:20])
	e.flush()
	if s.chance(2) == 0 {
		panic(http.ErrAbortHandler)
	}
}

func stallHead(_ *server, e exchange) { <-e.r.Context().Done() }

func stallStream(_ *server, e exchange) {
	e.begin()
	e.event(e.progress(e.id))
	_, _ = io.WriteString(e.w, "data: {")
	e.flush()
	<-e.r.Context().Done()
}

func stallJSON(_ *server, e exchange) {
	e.json(http.StatusOK, "{")
	e.flush()
	<-e.r.Context().Done()
}

func answerWrongly(_ *server, e exchange) {
	e.id = []byte("987654321")
	e.json(http.StatusOK, e.answer())
}

func answerTooLong(_ *server, e exchange) {
	e.key = strings.Repeat(e.key, 2*maxResponse/len(e.key))
	e.json(http.StatusOK, e.answer())
}

func answerPage(_ *server, e exchange) {
	_, _ = io.WriteString(e.w, "<!doctype html><title>Sign in</title>")
}
