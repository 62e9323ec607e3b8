package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// watchLine is one thing that happened.
type watchLine struct {
	Time   string `json:"time"`
	Server string `json:"server"`
	// Event is watching, tools_list_changed, prompts_list_changed,
	// resources_list_changed, resource_updated or ended.
	Event string `json:"event"`
	// URI is that of a resource that was updated.
	URI string `json:"uri,omitempty"`
	// Watching is what the server will tell of, in the first line.
	Watching *mcp.SubscriptionFilter `json:"watching,omitempty"`
	difference
}

func (p *program) watchCommand() *cobra.Command {
	var (
		filter mcp.SubscriptionFilter
		count  int
	)
	command := &cobra.Command{
		Use:   "watch SERVER",
		Short: "Watch a server for changes, until interrupted",
		Long: "Watch a server for changes of its lists of tools, prompts and resources, and of single resources; without flags,\n" +
			"of all three lists. Each change is a line: of a list, with what was added, removed and changed. With --json each\n" +
			"is a line of JSON. It goes on over lost connections, until it is interrupted or --count is reached.",
		Example: "  mcpclient watch demo\n" +
			"  mcpclient watch demo --tools --resource demo://greeting --json",
		Args:              arguments(cobra.ExactArgs(1), "the name of a server"),
		ValidArgsFunction: p.completeServer,
		RunE: func(command *cobra.Command, found []string) error {
			if filter.IsZero() {
				filter = mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
			}
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				return p.watch(ctx, connection, filter, count)
			})
		},
	}
	flags := command.Flags()
	flags.BoolVar(&filter.ToolsListChanged, "tools", false, "watch the list of tools")
	flags.BoolVar(&filter.PromptsListChanged, "prompts", false, "watch the list of prompts")
	flags.BoolVar(&filter.ResourcesListChanged, "resources", false, "watch the list of resources")
	flags.StringArrayVar(&filter.ResourceSubscriptions, "resource", nil, "watch the resource of this `uri`; may be given several times")
	flags.IntVar(&count, "count", 0, "end after so many changes")
	return command
}

func (p *program) watch(ctx context.Context, connection *mcpclient.Connection, filter mcp.SubscriptionFilter, count int) error {
	w := &watching{program: p, connection: connection, ctx: ctx, left: count, enough: make(chan struct{}), begun: make(chan struct{})}
	begin := sync.OnceFunc(func() { close(w.begun) })
	defer begin()
	w.snapshots.take(ctx, connection, filter)
	subscription, err := connection.Listen(ctx, filter, w.changed)
	if err != nil {
		return err
	}
	defer func() { _ = subscription.Close() }()
	acknowledged := subscription.Acknowledged()
	if missing := filter.Without(acknowledged); !missing.IsZero() {
		p.warn("the server does not tell of " + described(missing))
	}
	w.write(watchLine{Event: "watching", Watching: &acknowledged})
	begin()
	select {
	case <-subscription.Done():
		w.write(watchLine{Event: "ended"})
		return subscription.Err()
	case <-w.enough:
		return w.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// described names what is watched.
func described(filter mcp.SubscriptionFilter) string {
	var names []string
	for _, list := range []struct {
		is   bool
		name string
	}{{filter.ToolsListChanged, "tools"}, {filter.PromptsListChanged, "prompts"}, {filter.ResourcesListChanged, "resources"}} {
		if list.is {
			names = append(names, list.name)
		}
	}
	return strings.Join(append(names, filter.ResourceSubscriptions...), ", ")
}

// watching writes what happens. Its method changed runs on the subscription's
// goroutine, one message at a time.
type watching struct {
	program    *program
	connection *mcpclient.Connection
	ctx        context.Context
	snapshots  snapshots
	begun      chan struct{} // closed when the first line was written
	enough     chan struct{} // closed when nothing more is wanted

	mu   sync.Mutex
	left int // changes; 0 is no limit
	err  error
}

func (w *watching) changed(message mcp.Message) {
	<-w.begun
	line := watchLine{}
	switch message.Method {
	case mcp.NotificationToolsListChanged:
		line.Event, line.difference = "tools_list_changed", w.snapshots.tools.renew(w.ctx, w.connection)
	case mcp.NotificationPromptsListChanged:
		line.Event, line.difference = "prompts_list_changed", w.snapshots.prompts.renew(w.ctx, w.connection)
	case mcp.NotificationResourcesListChanged:
		line.Event, line.difference = "resources_list_changed", w.snapshots.resources.renew(w.ctx, w.connection)
	case mcp.NotificationResourceUpdated:
		line.Event, line.URI = "resource_updated", uriOf(message)
	default:
		return
	}
	w.write(line)
	w.count()
}

func (w *watching) count() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == 0 {
		return
	}
	if w.left--; w.left == 0 {
		close(w.enough)
		w.left = -1
	}
}

func (w *watching) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *watching) write(line watchLine) {
	now := time.Now()
	line.Time, line.Server = now.UTC().Format(time.RFC3339Nano), w.connection.Name()
	p := w.program
	var err error
	switch out := p.output(); {
	case p.json:
		err = p.printCompact(p.stdout, line)
	case out.IsTerminal():
		err = p.printLine(out.Paint(terminal.Dim, now.Format(time.TimeOnly)) + "  " +
			out.Paint(terminal.Cyan, strings.ReplaceAll(line.Event, "_", " ")) + line.detail("  "))
	default:
		err = p.printLine(line.Time + "\t" + line.Event + line.detail("\t"))
	}
	if err != nil {
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
	}
}

// detail is what there is to say beside the event.
func (l watchLine) detail(separator string) string {
	var details []string
	if l.Watching != nil {
		details = append(details, described(*l.Watching))
	}
	if l.URI != "" {
		details = append(details, l.URI)
	}
	for _, change := range []struct {
		sign  string
		names []string
	}{{"+", l.Added}, {"-", l.Removed}, {"~", l.Changed}} {
		for _, name := range change.names {
			details = append(details, change.sign+name)
		}
	}
	if len(details) == 0 {
		return ""
	}
	return separator + terminal.Line(strings.Join(details, " "), maxLogText)
}
