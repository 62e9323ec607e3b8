package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// difference is what changed of a list, by name. All is empty where that is not
// known.
type difference struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Changed []string `json:"changed,omitempty"`
}

// snapshots are the lists as they were last seen.
type snapshots struct{ tools, prompts, resources snapshot }

// take makes snapshots of what is watched, side by side. That it may fail costs
// the difference only.
func (s *snapshots) take(ctx context.Context, connection *mcpclient.Connection, filter mcp.SubscriptionFilter) {
	s.tools.list, s.prompts.list, s.resources.list = listTools, listPrompts, listResources
	var taking sync.WaitGroup
	for of, wanted := range map[*snapshot]bool{&s.tools: filter.ToolsListChanged, &s.prompts: filter.PromptsListChanged, &s.resources: filter.ResourcesListChanged} {
		if wanted {
			taking.Go(func() { of.renew(ctx, connection) })
		}
	}
	taking.Wait()
}

// snapshot is one list as it was last seen: the hashes of its entries by name.
type snapshot struct {
	list  func(context.Context, *mcpclient.Connection) (map[string]any, error)
	known map[string][sha256.Size]byte
}

// renew lists anew and returns what changed.
func (s *snapshot) renew(ctx context.Context, connection *mcpclient.Connection) difference {
	entries, err := s.list(ctx, connection)
	if err != nil {
		s.known = nil
		return difference{}
	}
	before := s.known
	s.known = make(map[string][sha256.Size]byte, len(entries))
	var d difference
	for name, entry := range entries {
		encoded, _ := json.Marshal(entry) // what was decoded from JSON
		s.known[name] = sha256.Sum256(encoded)
		if hash, there := before[name]; !there {
			d.Added = append(d.Added, name)
		} else if hash != s.known[name] {
			d.Changed = append(d.Changed, name)
		}
	}
	for name := range before {
		if _, there := entries[name]; !there {
			d.Removed = append(d.Removed, name)
		}
	}
	if before == nil {
		return difference{}
	}
	slices.Sort(d.Added)
	slices.Sort(d.Removed)
	slices.Sort(d.Changed)
	return d
}

func listTools(ctx context.Context, connection *mcpclient.Connection) (map[string]any, error) {
	tools, err := connection.Tools(ctx)
	return entriesOf(tools), err
}

func listPrompts(ctx context.Context, connection *mcpclient.Connection) (map[string]any, error) {
	prompts, err := connection.Prompts(ctx)
	return entriesOf(prompts), err
}

func listResources(ctx context.Context, connection *mcpclient.Connection) (map[string]any, error) {
	resources, err := connection.Resources(ctx)
	return entriesOf(resources), err
}

func entriesOf[T any](collection mcpclient.Collection[T]) map[string]any {
	entries := map[string]any{}
	for name, entry := range collection.All() {
		entries[name] = entry
	}
	return entries
}

// uriOf reads the URI of a notification.
func uriOf(message mcp.Message) string {
	var params struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(message.Params, &params) // one without is told without
	return params.URI
}
