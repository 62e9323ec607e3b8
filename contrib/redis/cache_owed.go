package redis

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// Deletions. What Redis did not take is noted, and made up for before anything else is
// asked of it.

// owe notes a generation that is to be replaced.
func (c *Cache) owe(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made.Add(key, time.Now())
	c.note(key)
}

// again notes once more what was replaced lately: there is a new connection, and what
// it leads to may not know of that. It is another node that was promoted before it
// had heard of it, or has read what was on the disk. Others who did not make a
// deletion rely on those who did.
func (c *Cache) again() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range c.made.Keys() {
		if at, _ := c.made.Peek(key); time.Since(at) < lately {
			c.note(key)
		}
	}
}

// lately is as old as what a disk has may be: Redis writes to it once an hour even if
// next to nothing changes.
const lately = time.Hour

func (c *Cache) isOwing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.owed) > 0
}

// note is owe with the mutex held.
func (c *Cache) note(key string) {
	if len(c.owed) >= mostOwed { // then rather everything of the server
		server, _, _ := strings.Cut(key, "}:")
		key = server + "}:g"
	}
	c.owings++
	c.owed[key] = c.owings
}

// mostOwed bounds what is noted while the store is down, beside one generation for
// each server.
const mostOwed = 1000

// do replaces the generations that are owed, and then runs the operation.
func (c *Cache) do(ctx context.Context, operation func(ctx context.Context, client rueidis.Client) error) error {
	return c.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		if err := c.pay(ctx, client); err != nil {
			return err
		}
		return operation(ctx, client)
	})
}

// pay replaces generations, all at once. What somebody owes anew meanwhile stays owed:
// the generation may have been replaced before.
func (c *Cache) pay(ctx context.Context, client rueidis.Client) error {
	c.mu.Lock()
	if len(c.owed) == 0 {
		c.mu.Unlock()
		return nil
	}
	owed := maps.Clone(c.owed)
	c.mu.Unlock()
	keys := slices.Collect(maps.Keys(owed))
	commands := make(rueidis.Commands, 0, 2*len(keys))
	for _, key := range keys {
		commands = append(commands,
			client.B().Set().Key(key).Value(rand.Text()[:16]).PxMilliseconds(milliseconds(generationLife)).Build(),
			client.B().Exists().Key(key).Build()) // see obeyed
	}
	answers := client.DoMulti(ctx, commands...)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, answer := range answers {
		if err := answer.Error(); err != nil {
			return err
		}
		if key := keys[i/2]; i%2 == 1 && c.owed[key] == owed[key] {
			delete(c.owed, key)
		}
	}
	return nil
}

// obeyed runs a command that changes keys, and waits until this replica has heard
// of that too: Redis tells so before it answers the next command of the same
// connection. key is on the same node.
func obeyed(ctx context.Context, client rueidis.Client, command rueidis.Completed, key string) rueidis.RedisResult {
	return client.DoMulti(ctx, command, client.B().Exists().Key(key).Build())[0]
}
