package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Listing is what the servers of a group have, by the names of the group. If not
// all of them answered, it is what the others have.
type Listing[T any] struct {
	Collection[Grouped[T]]
	// Failures tell of the servers that could not be listed, in the order of the
	// members.
	Failures []*MemberError
	// Collisions tell of what was left out.
	Collisions []Collision
}

// Err returns the failures and collisions, the first 16, joined; nil if the listing
// is everything.
func (l Listing[T]) Err() error {
	var all []error
	for _, failure := range l.Failures {
		all = append(all, failure)
	}
	for _, collision := range l.Collisions[:min(len(l.Collisions), maxFaults)] {
		all = append(all, fmt.Errorf("%w: %s", errors.ErrNameCollision, collision))
	}
	if more := len(l.Collisions) - maxFaults; more > 0 {
		all = append(all, fmt.Errorf("%w: %d more", errors.ErrNameCollision, more))
	}
	return errors.Join(all...)
}

// Grouped is an entry of a group's list.
type Grouped[T any] struct {
	// Name is what the group calls it: it is what CallTool, GetPrompt and
	// ReadResource take.
	Name string
	// Server is the member that it belongs to.
	Server string
	// Entry is as the server listed it, under its own name.
	Entry T
}

// MarshalJSON encodes the entry, with its server and the group's name.
func (g Grouped[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name   string `json:"name"`
		Server string `json:"server"`
		Entry  T      `json:"entry"`
	}{g.Name, g.Server, g.Entry})
}

// GroupTool is a tool of a group.
type GroupTool = Grouped[mcp.Tool]

// MemberError is why a server of a group could not be listed.
type MemberError struct {
	// Server is the member's name.
	Server string
	// Err is what its listing failed with.
	Err error
}

// Error names the server.
func (e *MemberError) Error() string {
	if failure, ok := errors.AsType[*errors.TransporterRequestError](e.Err); ok && failure.Server == e.Server {
		return e.Err.Error()
	}
	return fmt.Sprintf("server %q: %s", e.Server, e.Err)
}

// Unwrap returns Err.
func (e *MemberError) Unwrap() error { return e.Err }

// kind is what a list is of.
type kind uint8

const (
	kindTools kind = iota
	kindPrompts
	kindResources
	kindTemplates
)

// hasURI reports whether names are URIs.
func (k kind) hasURI() bool { return k == kindResources || k == kindTemplates }

func (k kind) singular() string {
	return [...]string{"tool", "prompt", "resource", "resource template"}[k]
}

func (k kind) plural() string { return k.singular() + "s" }

// answer is what one member said.
type answer[T any] struct {
	member  groupMember
	entries Collection[T]
	err     error
}

// listGroup asks all members at the same time, and names what they have.
func listGroup[T any](ctx context.Context, g *Group, k kind, list func(context.Context, ToolServer) (Collection[T], error)) (Listing[T], error) {
	table, started, changed := g.table(ctx, k), g.started.Add(1), g.changed.Load()
	members := g.members.all()
	answers := make([]answer[T], len(members))
	var asking sync.WaitGroup
	for i, member := range members {
		asking.Go(func() { answers[i] = ask(ctx, g.limit, member, list) })
	}
	asking.Wait()
	known := make(map[string][]string, len(members))
	var failures []*MemberError
	for _, a := range answers {
		if a.err != nil {
			failures = append(failures, &MemberError{Server: a.member.Name, Err: a.err})
			known[a.member.Name] = nil
			continue
		}
		known[a.member.Name] = cloned(a.entries.keys)
	}
	names, err := table.update(g.naming, k, members, known, failures, started, changed)
	if err != nil {
		return Listing[T]{Failures: failures}, err
	}
	listing := Listing[T]{Collection: grouped(answers, names.of), Failures: failures, Collisions: names.collisions}
	if len(failures) > 0 && (g.complete || len(failures) == len(members)) {
		err = fmt.Errorf("list the %s of a group: %w", k.plural(), listing.Err())
	}
	return listing, err
}

// cloned returns copies of strings that outlive the result which they were read
// from: they share its bytes.
func cloned(keys []string) []string {
	copies := make([]string, len(keys))
	for i, key := range keys {
		copies[i] = strings.Clone(key)
	}
	return copies
}

// errServerLimit ends the listing of one server.
var errServerLimit = errors.New("the limit for one server of a group")

// ask asks one member, which may heed ctx or not.
func ask[T any](ctx context.Context, limit time.Duration, member groupMember, list func(context.Context, ToolServer) (Collection[T], error)) answer[T] {
	if member.problem != nil {
		return answer[T]{member: member, err: member.problem}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errServerLimit)
	defer cancel()
	answered := make(chan answer[T], 1)
	go func() {
		defer func() { // nobody else could catch it
			if cause := recover(); cause != nil {
				answered <- answer[T]{member: member, err: fmt.Errorf("its listing panicked: %v\n%s", cause, debug.Stack())}
			}
		}()
		entries, err := list(ctx, member.Server)
		if isUnsupported(err) {
			entries, err = Collection[T]{}, nil
		}
		answered <- answer[T]{member, entries, err}
	}()
	var a answer[T]
	select {
	case a = <-answered:
	case <-ctx.Done():
		a = answer[T]{member: member, err: ctx.Err()}
	}
	if ctx.Err() != nil && errors.Is(a.err, ctx.Err()) { // whoever noticed it first
		a.err = ended(ctx)
		if errors.Is(a.err, errServerLimit) {
			a.err = fmt.Errorf("no list within %v, %w: %w", limit, errServerLimit, ctx.Err())
		}
	}
	return a
}

// isUnsupported reports whether a server has no such list at all.
func isUnsupported(err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	return ok && failure.Kind == errors.KindPeer && failure.Code == mcp.CodeMethodNotFound ||
		errors.Is(err, errors.ErrCapabilityMissing)
}

// grouped puts together what the members answered. What has no name is left out.
func grouped[T any](answers []answer[T], names map[claim]string) Collection[Grouped[T]] {
	var all []Grouped[T]
	var faults []error
	for _, a := range answers {
		for _, fault := range a.entries.faults[:min(len(a.entries.faults), maxFaults-len(faults))] {
			faults = append(faults, fmt.Errorf("server %q: %w", a.member.Name, fault))
		}
		for key, value := range a.entries.All() {
			if name := names[claim{a.member.Name, key}]; name != "" {
				all = append(all, Grouped[T]{Name: name, Server: a.member.Name, Entry: value})
			}
		}
	}
	collection := NewCollection(all, func(entry Grouped[T]) string { return entry.Name })
	collection.faults = faults
	return collection
}
