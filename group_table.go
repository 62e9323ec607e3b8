package mcpclient

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// maxNameTables bounds for how many principals a group remembers names: those of
// the one that has not been heard of for longest are forgotten first, and listed
// anew when they are needed.
const maxNameTables = 1024

// nameTables holds a table for each kind of entry and each principal.
type nameTables struct {
	mu     sync.Mutex
	tables map[tableKey]*nameTable
	clock  uint64
}

// principal names whom a call is for, as the connection's server sees it.
func (c *Connection) principal(ctx context.Context) string {
	if telling, ok := c.base.(interface{ Principal(context.Context) string }); ok {
		return telling.Principal(ctx)
	}
	return transporters.CallOptionsOf(ctx).Principal
}

type tableKey struct {
	kind      kind
	principal string
}

// table returns the table for the principal that ctx names.
func (g *Group) table(ctx context.Context, k kind) *nameTable {
	return g.tables.get(tableKey{k, g.principal(ctx)})
}

// principal names whom a call is for, as the members see it: some have headers
// that tell.
func (g *Group) principal(ctx context.Context) string {
	options := transporters.CallOptionsOf(ctx)
	principal := options.Principal
	if len(options.Header) == 0 {
		return principal
	}
	for _, member := range g.members.all() {
		if connection, ok := member.Server.(*Connection); ok && member.problem == nil {
			principal += "\x00\x00" + connection.principal(ctx)
		}
	}
	return principal
}

func (n *nameTables) get(key tableKey) *nameTable {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock++
	table, known := n.tables[key]
	if !known {
		if n.tables == nil {
			n.tables = make(map[tableKey]*nameTable)
		}
		if len(n.tables) >= maxNameTables {
			n.forgetOldest()
		}
		table = &nameTable{turn: make(chan struct{}, 1)}
		n.tables[key] = table
	}
	table.lastUse = n.clock
	return table
}

func (n *nameTables) forgetOldest() {
	var oldest tableKey
	var since uint64
	for key, table := range n.tables {
		if since == 0 || table.lastUse < since {
			oldest, since = key, table.lastUse
		}
	}
	delete(n.tables, oldest)
}

// nameTable is what names stand for, as the latest listing made them.
type nameTable struct {
	lastUse uint64        // nameTables' clock, guarded by its mu
	turn    chan struct{} // held by the one call that lists because it did not find a name

	listed atomic.Pointer[listed]
	mu     sync.Mutex // held to replace listed
}

// listed is the outcome of one listing.
type listed struct {
	started uint64              // the listing's number
	changed uint64              // how many changes the group had heard of when it began
	known   map[string][]string // keys by member, of those that failed now what they had before
	routes  map[string]claim    // by name
	failed  []string            // members that could not be listed
}

// named is the names of entries.
type named struct {
	of         map[claim]string
	collisions []Collision
}

// update takes a listing in and returns the names of its entries. Members that
// failed keep the entries that they had, so that their names are neither free for
// others nor unknown. A listing that began before the one that is there only gets
// its names.
func (t *nameTable) update(n naming, k kind, members []groupMember, known map[string][]string, failures []*MemberError, started, changed uint64) (named, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := &listed{started: started, changed: changed, known: known, routes: make(map[string]claim)}
	before := t.listed.Load()
	for _, failure := range failures {
		next.failed = append(next.failed, failure.Server)
		if before != nil {
			known[failure.Server] = before.known[failure.Server]
		}
	}
	var claims []claim
	for _, member := range members {
		for _, key := range known[member.Name] {
			claims = append(claims, claim{member.Name, key})
		}
	}
	names, collisions, err := n.assign(k, claims)
	if err != nil {
		return named{}, err
	}
	of := make(map[claim]string, len(claims))
	for i, c := range claims {
		if of[c] = names[i]; names[i] != "" {
			next.routes[names[i]] = c
		}
	}
	if before == nil || before.started < started {
		t.listed.Store(next)
	}
	return named{of, collisions}, nil
}

// find returns what a name stands for, and false if it is not known.
func (t *nameTable) find(name string) (claim, bool) {
	latest := t.listed.Load()
	if latest == nil {
		return claim{}, false
	}
	found, known := latest.routes[name]
	return found, known
}

// isCurrent reports whether nothing is known to have changed since the listing.
func (t *nameTable) isCurrent(changed uint64) bool {
	latest := t.listed.Load()
	return latest != nil && latest.changed == changed
}
