package mcptest

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// journalLimit is how many messages a peer of this package remembers.
const journalLimit = 10_000

// Received is one message that a peer of this package got.
type Received struct {
	// Method is the method; empty for a response.
	Method string
	// Name is params.name, params.uri or params.taskId, whichever comes first;
	// empty if there is none.
	Name string
	// ID is the id as written, nil for a notification.
	ID mcp.ID
	// Params is the "params" member, nil where absent.
	Params json.RawMessage
	// Header holds the HTTP request's headers, nil for other transports.
	Header http.Header
	// Raw is the whole message. Of a body that was not one, it is the body.
	Raw json.RawMessage
}

func newReceived(m mcp.Message, header http.Header) Received {
	return Received{
		Method: m.Method, Name: routingName(m.Params), ID: m.ID,
		Params: m.Params, Header: header, Raw: m.Raw,
	}
}

// journal keeps the last messages and counts all of them, so that a server may
// run for days. It is safe for concurrent use.
type journal struct {
	limit int

	mu      sync.Mutex
	entries []Received
	next    int // where the ring continues once it is full
	counts  map[string]int
	changed chan struct{}
}

func newJournal(limit int) *journal {
	return &journal{limit: limit, counts: map[string]int{}, changed: make(chan struct{})}
}

func (j *journal) add(r Received) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[r.Method]++
	if len(j.entries) < j.limit {
		j.entries = append(j.entries, r)
	} else if j.limit > 0 {
		j.entries[j.next] = r
		j.next = (j.next + 1) % j.limit
	}
	close(j.changed)
	j.changed = make(chan struct{})
}

func (j *journal) all() []Received {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append(append(make([]Received, 0, len(j.entries)), j.entries[j.next:]...), j.entries[:j.next]...)
}

// count returns how many messages of the method came, and a channel that is
// closed by the next message of any method.
func (j *journal) count(method string) (int, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counts[method], j.changed
}
