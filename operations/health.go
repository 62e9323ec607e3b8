package operations

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	// readinessLasts is how long an answer of Readyz is given again, so that many
	// probes make no more requests to the servers than one.
	readinessLasts = time.Second
	// maxListedServers bounds the answer of Readyz.
	maxListedServers = 100
)

// Healthz answers 200 {"ok":true} as long as the process serves: it is for what
// restarts a process that hangs, which a server that is down must not cause. It
// asks no server.
func (s *Site) Healthz() http.Handler {
	return readOnly(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, ready{OK: true}) })
}

// Readyz answers 200 if the required servers are well (mcpclient.Client.Health),
// and 503 if not, or after Close. The answer is a JSON object: ok, and for at most
// 100 servers, those that are not well first, server, state, ok, asked,
// latency_seconds and the kind of the error; left_out is the number of the others.
// An answer is given again for a second.
func (s *Site) Readyz() http.Handler {
	return readOnly(func(w http.ResponseWriter, _ *http.Request) {
		if s.isClosed() {
			writeJSON(w, http.StatusServiceUnavailable, ready{Reason: "shutting down"})
			return
		}
		answer := s.readiness.of(s)
		status := http.StatusOK
		if !answer.OK {
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, status, answer)
	})
}

// ready is what the handlers answer.
type ready struct {
	OK      bool          `json:"ok"`
	Reason  string        `json:"reason,omitempty"`
	Servers []readyServer `json:"servers,omitempty"`
	LeftOut int           `json:"left_out,omitempty"`
}

type readyServer struct {
	Server  string  `json:"server"`
	State   string  `json:"state"`
	OK      bool    `json:"ok"`
	Asked   bool    `json:"asked"`
	Latency float64 `json:"latency_seconds,omitempty"`
	Kind    string  `json:"kind,omitempty"`
}

// readiness keeps the latest answer. One probe asks; those that come meanwhile wait
// for it, which ReadyTimeout bounds.
type readiness struct {
	mu     sync.Mutex
	until  time.Time
	answer ready
}

func (r *readiness) of(s *Site) ready {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.After(r.until) {
		r.answer = s.askReady()
		r.until = time.Now().Add(readinessLasts)
	}
	return r.answer
}

func (s *Site) askReady() ready {
	if s.required != nil && len(s.required) == 0 {
		return ready{OK: true}
	}
	options := []mcpclient.HealthOption{mcpclient.HealthTimeout(s.readyLimit)}
	if s.required != nil {
		options = append(options, mcpclient.HealthOf(s.required...))
	}
	if s.startIdle {
		options = append(options, mcpclient.HealthStartIdle())
	}
	// The answer is for all who probe, so none of them can cancel it.
	health := s.client.Health(context.Background(), options...)
	answer := ready{OK: health.OK}
	for _, wanted := range [...]bool{false, true} {
		for _, server := range health.Servers {
			if server.OK != wanted {
				continue
			}
			if len(answer.Servers) == maxListedServers {
				answer.LeftOut++
				continue
			}
			answer.Servers = append(answer.Servers, readyOf(server))
		}
	}
	return answer
}

func readyOf(server mcpclient.ServerHealth) readyServer {
	told := readyServer{
		Server: server.Server, State: server.State.String(), OK: server.OK, Asked: server.Asked, Latency: server.Latency.Seconds(),
	}
	if server.Err != nil {
		told.Kind = transporters.KindOf(server.Err).String()
	}
	return told
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value) // whoever has gone away misses nothing
}
