package session

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/internal/mirror"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// maxMirrored bounds the tools whose bindings are kept.
const maxMirrored = 65_536

// maxRelistPages bounds the search for a tool after a header mismatch.
const maxRelistPages = 100

// mirrors knows which arguments of which tool are repeated in headers, from the
// newest tools/list that was seen (R087).
type mirrors struct {
	mu    sync.RWMutex
	tools map[string]mirror.Bindings
}

func (m *mirrors) of(tool string) mirror.Bindings {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.tools[tool]
}

// learn notes the bindings of a tool; none and a tool that is not valid are
// forgotten.
func (m *mirrors) learn(tool string, bindings mirror.Bindings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bindings == nil {
		delete(m.tools, tool)
		return
	}
	if m.tools == nil {
		m.tools = map[string]mirror.Bindings{}
	}
	if _, known := m.tools[tool]; known || len(m.tools) < maxMirrored {
		m.tools[tool] = bindings
	}
}

func (m *mirrors) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tools = nil
}

// mirrorsHeaders reports whether arguments are repeated in headers: over HTTP,
// in the modern era (R079, P71).
func (s *Session) mirrorsHeaders(p *peer) bool {
	return s.traits.HTTP && p.era.version().Era() == mcp.EraModern
}

// listedTools learns from a tools/list result and takes the tools out of it
// whose annotations are not valid (R081), with the reason in the log (R082).
func (s *Session) listedTools(result mcp.Result) mcp.Result {
	filtered := mcp.FilterEntries(result.Raw(), "tools", func(entry json.RawMessage) bool {
		name, schema := nameAndSchema(entry)
		bindings, err := mirror.Scan(schema)
		s.mirrors.learn(name, bindings)
		if err != nil {
			s.log.Warn("left out a tool whose x-mcp-header annotations are not valid", "server", s.server,
				"tool", errors.PeerText(name, 128), "reason", err)
		}
		return err == nil
	})
	return mcp.NewResult(filtered)
}

// mirrored adds the headers of a tool call's arguments to the standard ones.
func (s *Session) mirrored(header http.Header, params *mcp.Params) (http.Header, error) {
	bindings := s.mirrors.of(params.Name())
	if bindings == nil {
		return header, nil
	}
	extra, err := bindings.Headers(params.Arguments())
	if err != nil {
		return nil, notSent(&errors.TransporterRequestError{
			Kind: errors.KindParams, Message: err.Error(), Err: errors.ErrInvalidParams,
		})
	}
	header = header.Clone()
	for _, h := range extra {
		header[h.Name] = []string{h.Value} // as it was annotated (P3)
	}
	return header, nil
}

// nameAndSchema reads what matters of a tool's entry.
func nameAndSchema(entry json.RawMessage) (name string, schema json.RawMessage) {
	raw, _ := jsonscan.Find(entry, "name")
	name, _ = jsonscan.String(raw)
	schema, _ = jsonscan.Find(entry, "inputSchema")
	return name, schema
}

// relist looks for a tool through the pages of tools/list, so that its bindings
// are the newest (R086). If it is not found, or its list cannot be had, its
// bindings are forgotten and the call goes out without them.
func (s *Session) relist(c *call, p *peer, tool string) {
	s.mirrors.learn(tool, nil)
	seen := map[string]bool{}
	var params *mcp.Params
	for range maxRelistPages {
		reply, err := s.exchange(c.ctx, p.link, mcp.MethodListTools, params, p.era.meta(), p.era.header(mcp.MethodListTools, ""))
		if err != nil || reply.Message.Result == nil {
			return
		}
		s.listedTools(mcp.NewResult(reply.Message.Result))
		page, err := mcp.ParseListToolsResult(mcp.NewResult(reply.Message.Result))
		if err != nil || s.mirrors.of(tool) != nil || page.NextCursor == nil || seen[*page.NextCursor] {
			return
		}
		seen[*page.NextCursor] = true
		params = mcp.CursorParams(page.NextCursor)
	}
}
