package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// server is an mcptest.Server, which judges what it is sent, behind what does
// the harm.
type server struct {
	*mcptest.Server
	plain http.Handler
	plans map[string]*plan

	mu        sync.Mutex
	random    *rand.Rand
	session   string                 // the one it knows
	confirmed bool                   // its handshake is complete
	standing  map[string]chan string // open standing streams, by session
	executed  map[string]int         // how often each call was carried out
	losses    int
	answers   int // given in this session
}

// exchange is one tools/call.
type exchange struct {
	s   *server
	w   http.ResponseWriter
	r   *http.Request
	id  json.RawMessage
	key string // what makes the call and its answer one of a kind

	session string
}

// arguments of the tool.
type arguments struct {
	Key  string `json:"key"`
	Plan string `json:"plan"`
}

func newServer(seed uint64, era mcptest.Option) *server {
	s := &server{
		Server:   mcptest.NewServer(era, mcptest.WithReceivedLimit(0)),
		plans:    map[string]*plan{},
		random:   rand.New(rand.NewPCG(seed, 0)),
		standing: map[string]chan string{},
		executed: map[string]int{},
	}
	for _, p := range plans() {
		s.plans[p.name] = &p
	}
	s.AddTool(mcp.Tool{Name: "echo"}, nil) // calls do not get that far
	s.plain = s.Handler()
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	session := r.Header.Get(mcp.HeaderSessionID)
	if r.Method == http.MethodGet {
		s.get(w, r, session)
		return
	}
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Arguments arguments `json:"arguments"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &message)
	if message.Method != mcp.MethodCallTool || session != "" && !s.knows(session) {
		s.plain.ServeHTTP(w, r) // which says 404 to a session that it does not know
		s.note(w, session, message.Method)
		return
	}
	p := s.plans[message.Params.Arguments.Plan]
	e := exchange{s: s, w: w, r: r, id: message.ID, key: message.Params.Arguments.Key, session: session}
	if !p.refused {
		s.mu.Lock()
		s.executed[e.key]++
		s.answers++
		s.mu.Unlock()
	}
	p.serve(s, e)
}

// note follows the handshake.
func (s *server) note(w http.ResponseWriter, session, method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case mcp.MethodInitialize:
		s.session, s.confirmed, s.answers = w.Header().Get(mcp.HeaderSessionID), false, 0
	case mcp.NotificationInitialized:
		s.confirmed = session == s.session
	}
}

func (s *server) knows(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return session == s.session
}

// forget forgets the session, if it has been used for a while.
func (s *server) forget(used int) {
	s.mu.Lock()
	due := s.session != "" && s.confirmed && s.answers >= used
	if due {
		s.session = ""
		s.losses++
		for session, stream := range s.standing {
			delete(s.standing, session)
			close(stream)
		}
	}
	s.mu.Unlock()
	if due {
		s.ForgetSessions()
	}
}

func (s *server) chance(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

// get resumes a stream, or opens the standing one in one of the ways in which
// that goes wrong or right.
func (s *server) get(w http.ResponseWriter, r *http.Request, session string) {
	if key, id, found := strings.Cut(r.Header.Get(mcp.HeaderLastEventID), "/"); found {
		e := exchange{s: s, w: w, r: r, id: json.RawMessage(id), key: key}
		e.begin()
		e.event(e.answer())
		return
	}
	switch s.chance(6) {
	case 0:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case 1:
		w.WriteHeader(http.StatusConflict)
		return
	case 2:
		panic(http.ErrAbortHandler)
	case 3:
		<-r.Context().Done()
		return
	}
	stream := make(chan string, 10_000)
	s.mu.Lock()
	if session != s.session {
		s.mu.Unlock()
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.standing[session] = stream
	s.mu.Unlock()
	e := exchange{s: s, w: w, r: r}
	e.begin()
	for {
		select {
		case data, open := <-stream:
			if !open {
				return
			}
			e.event(data)
		case <-r.Context().Done():
			return
		}
	}
}

// push puts an answer on the standing stream, if there is one.
func (s *server) push(session, data string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stream, open := s.standing[session]
	if open {
		stream <- data
	}
	return open
}

// answer is the call's own.
func (e exchange) answer() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":%q}]}}`, e.id, e.key)
}

// progress is a report that bears the key of the call.
func (e exchange) progress(token json.RawMessage) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":%q}}`, token, e.key)
}
