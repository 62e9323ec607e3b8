package mcpclient

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/sleep"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// GroupChange tells what of a group is to be listed anew.
type GroupChange struct {
	// Server is the member whose lists have changed; empty if there are other
	// members.
	Server string
	// Tools, Prompts and Resources say which lists.
	Tools, Prompts, Resources bool
}

// How Watch waits before it subscribes again.
const (
	watchAgain     = 100 * time.Millisecond // after a subscription that was open
	watchRetry     = time.Second            // after a failure, doubling
	watchSlowRetry = time.Minute
)

// Watch keeps the group's names current until ctx ends, whose cause it returns: it
// subscribes to changes of the lists of every member that can tell of them, which
// connects to them, and follows what members there are. After a change the next
// call lists anew before it goes anywhere. changed, which may be nil, is told of
// each change, in the goroutine of Watch, one at a time; changes that come
// meanwhile are told together. It is also called when a subscription was
// interrupted, since what the server sent meanwhile is lost.
//
// Members that are no *Connection are not watched. The subscriptions are made for
// the principal that ctx names, and concern all.
func (g *Group) Watch(ctx context.Context, changed func(GroupChange)) error {
	w := &groupWatch{group: g, pending: make(map[string]GroupChange), wake: make(chan struct{}, 1)}
	defer w.watching.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(map[*Connection]*watchedMember)
	superseded := g.members.superseded()
	w.follow(ctx, watched)
	for {
		select {
		case <-superseded:
			superseded = g.members.superseded()
			w.follow(ctx, watched)
			w.note(GroupChange{Tools: true, Prompts: true, Resources: true})
		case <-w.wake:
			w.tell(changed)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// groupWatch is one run of Watch.
type groupWatch struct {
	group    *Group
	watching sync.WaitGroup
	wake     chan struct{} // holds one if something is pending

	mu      sync.Mutex
	pending map[string]GroupChange // by member
	order   []string
}

// watchedMember is a member with a goroutine that watches it.
type watchedMember struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended, perhaps because it cannot watch
}

func (m *watchedMember) isDone() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// follow begins to watch members that are new, or may be able to tell of changes
// now, and ends with those that are gone.
func (w *groupWatch) follow(ctx context.Context, watched map[*Connection]*watchedMember) {
	current := make(map[*Connection]struct{})
	for _, member := range w.group.members.all() {
		connection, ok := member.Server.(*Connection)
		if !ok || member.problem != nil {
			continue
		}
		current[connection] = struct{}{}
		if known := watched[connection]; known != nil && !known.isDone() {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		begun := &watchedMember{cancel, make(chan struct{})}
		watched[connection] = begun
		w.watching.Go(func() {
			defer close(begun.done)
			defer cancel()
			w.watch(ctx, member.Name, connection)
		})
	}
	for connection, known := range watched {
		if _, stays := current[connection]; !stays {
			known.cancel()
			delete(watched, connection)
		}
	}
}

// watch holds a subscription to one member, as long as that can be had.
func (w *groupWatch) watch(ctx context.Context, name string, connection *Connection) {
	filter := mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
	pause := watchRetry
	for isFirst := true; ; isFirst = false {
		begun := time.Now()
		subscription, err := connection.Listen(ctx, filter, func(m mcp.Message) { w.hear(name, m) })
		switch {
		case err == nil && subscription.Acknowledged().IsZero():
			_ = subscription.Close() // it always returns nil
			return
		case err == nil:
			if !isFirst {
				w.note(GroupChange{name, true, true, true})
			}
			select {
			case <-subscription.Done():
			case <-ctx.Done():
				_ = subscription.Close() // it always returns nil
				return
			}
			if time.Since(begun) > watchRetry {
				pause = watchAgain
			}
		case isUnsupported(err), connection.State() == transporters.StateClosed, errors.Is(err, errors.ErrToolDenied):
			return
		}
		if sleep.For(ctx, pause) != nil {
			return
		}
		pause = min(max(2*pause, watchRetry), watchSlowRetry)
	}
}

// hear takes a notification in.
func (w *groupWatch) hear(name string, m mcp.Message) {
	change := GroupChange{
		Server:    name,
		Tools:     m.Method == mcp.NotificationToolsListChanged,
		Prompts:   m.Method == mcp.NotificationPromptsListChanged,
		Resources: m.Method == mcp.NotificationResourcesListChanged,
	}
	if change.Tools || change.Prompts || change.Resources {
		w.note(change)
	}
}

// note makes the group's names stale, and the change pending.
func (w *groupWatch) note(change GroupChange) {
	w.group.changed.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	noted, known := w.pending[change.Server]
	if !known {
		w.order = append(w.order, change.Server)
	}
	w.pending[change.Server] = GroupChange{
		change.Server, change.Tools || noted.Tools, change.Prompts || noted.Prompts, change.Resources || noted.Resources,
	}
	select {
	case w.wake <- struct{}{}:
	default: // it is awake
	}
}

// tell hands over what is pending.
func (w *groupWatch) tell(changed func(GroupChange)) {
	w.mu.Lock()
	pending, order := w.pending, w.order
	w.pending, w.order = make(map[string]GroupChange), nil
	w.mu.Unlock()
	if changed == nil {
		return
	}
	for _, name := range order {
		changed(pending[name])
	}
}
