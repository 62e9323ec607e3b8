package operations

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

const (
	// quietFor is after how long without news the stream says that it lives.
	quietFor = 15 * time.Second
	// writeTimeout ends the stream of a viewer who no longer reads.
	writeTimeout = 10 * time.Second
)

func (s *Site) serveEvents(w http.ResponseWriter, r *http.Request) {
	if problem := s.admit(); problem != "" {
		w.Header().Set("Retry-After", "5")
		http.Error(w, problem, http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // else a proxy may keep events back
	if r.Method == http.MethodHead {
		return
	}
	s.stream(stream{w, http.NewResponseController(w)}, r)
}

// admit counts a viewer in, or says why not.
func (s *Site) admit() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "shutting down"
	case s.viewers >= s.maxViewers:
		return fmt.Sprintf("%d pages are kept up to date already, which is the most", s.maxViewers)
	}
	s.viewers++
	return ""
}

func (s *Site) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewers--
}

// stream sends what has changed at each tick, until the viewer leaves or the site
// is closed.
func (s *Site) stream(to stream, r *http.Request) {
	_ = to.control.SetReadDeadline(time.Time{}) // the server's would end the stream
	if to.write("retry: 2000\n\n") != nil {
		return
	}
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	sent, latest := make(map[string]string), time.Now()
	for {
		parts, err := s.parts()
		if err != nil {
			return
		}
		changed := changedParts(sent, parts)
		switch {
		case len(changed) > 0:
			err = to.event("update", changed)
		case time.Since(latest) >= quietFor:
			err = to.write(": nothing new\n\n")
		}
		if err != nil {
			return
		}
		if len(changed) > 0 || time.Since(latest) >= quietFor {
			latest = time.Now()
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		case <-s.ended:
			_ = to.event("end", "shutting down")
			return
		}
	}
}

// changedParts returns the parts that are not what was sent, and notes them as
// sent.
func changedParts(sent, parts map[string]string) map[string]string {
	changed := make(map[string]string)
	for name, part := range parts {
		if before, known := sent[name]; !known || before != part {
			changed[name], sent[name] = part, part
		}
	}
	return changed
}

// stream is a response that is written bit by bit.
type stream struct {
	to      http.ResponseWriter
	control *http.ResponseController
}

// event writes an event whose data is JSON, which has no line breaks.
func (s stream) event(name string, data any) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return s.write("event: " + name + "\ndata: " + string(encoded) + "\n\n")
}

func (s stream) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.to.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
