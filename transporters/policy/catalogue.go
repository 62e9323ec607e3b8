package policy

import (
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/internal/jsonschema"
)

// The bounds of a catalogue.
const (
	maxSchemaBytes    = 16 << 20 // of all schemas together, each counted once
	maxCatalogueTools = 1 << 16  // of all principals together
	maxPrincipals     = 1024
	// maxToolName bounds the name of a tool that is remembered, in bytes: a server
	// could fill the memory with names as well. Tools may have 128 characters.
	maxToolName = 1024
)

// catalogue holds the output schemas of one server's tools, and which of them
// are idempotent, by principal and tool. Tools of which there is neither to
// remember are not in it. Equal schemas are held and compiled once, whoever they
// are for.
//
// A list has pages. Its first page begins a new generation of the principal's
// tools, each page brings its tools up to that generation, and the last one
// drops those that stayed behind. A tool therefore keeps its schema while it is
// being listed again, and two listings at the same time at worst forget a tool
// until its page has come.
type catalogue struct {
	compile func([]byte) (validator, error)
	tools   atomic.Int64  // of all principals together
	clock   atomic.Uint64 // tells who was idle for longest

	mu         sync.RWMutex
	principals map[string]*listing      // nil before the first, as schemas
	schemas    map[string]*outputSchema // by their text
	bytes      int
}

// listing is what one principal's list tells.
type listing struct {
	lastUse    atomic.Uint64 // the catalogue's clock
	generation uint64
	tools      map[string]knownTool
}

type knownTool struct {
	schema       *outputSchema // nil if it has none
	isIdempotent bool
	generation   uint64
}

// outputSchema is one text of a schema, compiled when it is first needed.
type outputSchema struct {
	text    string
	compile func([]byte) (validator, error)
	uses    int // by tools; guarded by the catalogue's mu

	once     sync.Once
	compiled validator
	err      error
}

func newCatalogue(compile func([]byte) (validator, error)) *catalogue {
	return &catalogue{compile: compile}
}

// isEmpty is the one question that calls of a server without schemas ask.
func (c *catalogue) isEmpty() bool { return c.tools.Load() == 0 }

// find returns what is known of a tool.
func (c *catalogue) find(principal, tool string) knownTool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known := c.principals[principal]
	if known == nil {
		return knownTool{}
	}
	known.lastUse.Store(c.clock.Add(1))
	return known.tools[tool]
}

// learn takes in one page of a list. It reports whether something had to be
// left out because there is no room.
func (c *catalogue) learn(principal string, isFirst bool, page toolPage) (full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.principals[principal]
	if known == nil {
		if page.isPlain() {
			return false // nothing to remember
		}
		if len(c.principals) >= maxPrincipals {
			c.evict(nil)
		}
		if c.principals == nil {
			c.principals, c.schemas = map[string]*listing{}, map[string]*outputSchema{}
		}
		known = &listing{tools: map[string]knownTool{}}
		c.principals[principal] = known
	}
	known.lastUse.Store(c.clock.Add(1))
	if isFirst {
		known.generation++
	}
	for _, tool := range page.tools {
		c.forget(known, tool.name)
		if !tool.isPlain() && !c.add(known, tool) {
			full = true
		}
	}
	if !page.hasNext {
		for name, entry := range known.tools {
			if entry.generation < known.generation {
				c.forget(known, name)
			}
		}
	}
	return full
}

// add notes a tool; it returns false if there is no room.
func (c *catalogue) add(known *listing, tool listedTool) bool {
	schema := tool.schema
	if len(schema) > jsonschema.MaxBytes {
		schema = schema[:jsonschema.MaxBytes+1] // enough to be told that it is too long
	}
	for !c.hasRoom(schema) {
		if !c.evict(known) {
			return false
		}
	}
	noted := knownTool{isIdempotent: tool.isIdempotent, generation: known.generation}
	if schema != nil {
		noted.schema = c.use(schema)
	}
	known.tools[tool.name] = noted
	c.tools.Add(1)
	return true
}

// use returns the entry of a schema's text, a new one if there is none, and
// counts one tool more that has it.
func (c *catalogue) use(schema []byte) *outputSchema {
	entry := c.schemas[string(schema)]
	if entry == nil {
		text := string(schema)
		entry = &outputSchema{text: text, compile: c.compile}
		c.schemas[text] = entry
		c.bytes += len(text)
	}
	entry.uses++
	return entry
}

func (c *catalogue) hasRoom(schema []byte) bool {
	return c.tools.Load() < maxCatalogueTools &&
		(schema == nil || c.schemas[string(schema)] != nil || c.bytes+len(schema) <= maxSchemaBytes)
}

// evict forgets the principal that has been idle for longest, but not the one to
// keep. It returns false if there is no other.
func (c *catalogue) evict(keep *listing) bool {
	var oldest *listing
	var principal string
	for name, candidate := range c.principals {
		if candidate != keep && (oldest == nil || candidate.lastUse.Load() < oldest.lastUse.Load()) {
			oldest, principal = candidate, name
		}
	}
	if oldest == nil {
		return false
	}
	for tool := range oldest.tools {
		c.forget(oldest, tool)
	}
	delete(c.principals, principal)
	return true
}

func (c *catalogue) forget(known *listing, tool string) {
	entry, found := known.tools[tool]
	if !found {
		return
	}
	delete(known.tools, tool)
	c.tools.Add(-1)
	if entry.schema == nil {
		return
	}
	if entry.schema.uses--; entry.schema.uses == 0 {
		delete(c.schemas, entry.schema.text)
		c.bytes -= len(entry.schema.text)
	}
}

// validator compiles the schema, once.
func (s *outputSchema) validator() (validator, error) {
	s.once.Do(func() { s.compiled, s.err = s.compile([]byte(s.text)) })
	return s.compiled, s.err
}
