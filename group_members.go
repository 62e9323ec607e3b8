package mcpclient

import (
	"fmt"
	"slices"
)

// groupMember is a member, or why there is none of that name.
type groupMember struct {
	Member
	problem error
}

// membership is who is in a group.
type membership interface {
	all() []groupMember
	get(name string) (groupMember, bool)
	// superseded is closed when there may be other members; nil if there never are.
	superseded() <-chan struct{}
}

// fixedMembers are those of NewGroup.
type fixedMembers struct {
	list   []groupMember
	byName map[string]groupMember
}

func newFixedMembers(members []Member, only []string) (*fixedMembers, error) {
	f := &fixedMembers{byName: make(map[string]groupMember, len(members))}
	for i, member := range members {
		switch _, known := f.byName[member.Name]; {
		case member.Name == "":
			return nil, fmt.Errorf("member %d of the group has no name", i+1)
		case member.Server == nil:
			return nil, fmt.Errorf("member %q of the group has no server", member.Name)
		case known:
			return nil, fmt.Errorf("two members of the group are named %q", member.Name)
		}
		f.byName[member.Name] = groupMember{Member: member}
		f.list = append(f.list, f.byName[member.Name])
	}
	if only == nil {
		return f, nil
	}
	chosen := &fixedMembers{byName: make(map[string]groupMember, len(only))}
	for _, name := range only {
		member, known := f.byName[name]
		if !known {
			return nil, fmt.Errorf("the group has no member %q", name)
		}
		chosen.byName[name] = member
		chosen.list = append(chosen.list, member)
	}
	return chosen, nil
}

func (f *fixedMembers) all() []groupMember { return f.list }

func (f *fixedMembers) get(name string) (groupMember, bool) {
	member, known := f.byName[name]
	return member, known
}

func (f *fixedMembers) superseded() <-chan struct{} { return nil }

// clientMembers are the servers of a client, as they are now.
type clientMembers struct {
	client *Client
	only   []string // nil: all
}

func (c *clientMembers) all() []groupMember {
	names := c.only
	if names == nil {
		names = c.client.Servers()
	}
	members := make([]groupMember, len(names))
	for i, name := range names {
		members[i] = c.member(name)
	}
	return members
}

func (c *clientMembers) get(name string) (groupMember, bool) {
	if c.only != nil && !slices.Contains(c.only, name) {
		return groupMember{}, false
	}
	return c.member(name), true
}

func (c *clientMembers) member(name string) groupMember {
	connection, err := c.client.Connect(name)
	return groupMember{Member{Name: name, Server: connection}, err}
}

func (c *clientMembers) superseded() <-chan struct{} { return c.client.servers.Load().superseded }
