package redis

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Cache is the policy.CacheStore in Redis.
//
// Nothing is searched for to be deleted. A server, a method of it and a subject of
// that each have a generation, a random word. A result is kept together with the
// three that were in force before it was fetched, and counts only as long as they
// still are; a deletion gives the server, the method or the subject a new one. A
// generation that Redis has lost, by its expiry, an eviction or a restart, is
// replaced by another random word, so that what was kept under it is never found
// again.
//
// With near_cache what is read is kept in memory too. Redis remembers who has read
// what, and tells them when it changes (client-side caching); of a lost connection
// everything is forgotten. So a hit costs no round trip, and a deletion in one
// replica reaches the others as soon as Redis can write to them.
//
// A deletion that Redis did not take is made before anything else is read or kept.
type Cache struct {
	db *database

	mu   sync.Mutex
	owed map[string]struct{} // generations that are to be replaced
}

var _ policy.CacheStore = (*Cache)(nil)

const (
	// nearLife is how long a result is believed without asking Redis again.
	nearLife = 30 * time.Second
	// generationLife is how long a generation is kept that nobody uses. It is
	// renewed when half of it is over.
	generationLife = 7 * 24 * time.Hour
)

// Scripts. The keys of the first are the generations, and it makes those that are
// missing. Those of the second are the generations and the result.
const (
	generationsScript = `
local found = {}
for i = 1, #KEYS do
  found[i] = redis.call('GET', KEYS[i])
  if not found[i] then
    found[i] = ARGV[1] .. i
    redis.call('SET', KEYS[i], found[i], 'PX', ARGV[2])
  end
end
return table.concat(found, '.')`
	keepScript = `
local found = {}
for i = 1, 3 do
  found[i] = redis.call('GET', KEYS[i])
  if not found[i] then return 0 end
end
if table.concat(found, '.') ~= ARGV[1] then return 0 end
for i = 1, 3 do
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[4]) / 2 then redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
end
redis.call('SET', KEYS[4], ARGV[2], 'PX', ARGV[3])
return 1`
)

// place is where the results of a server's method and subject are. What is in
// braces makes a cluster keep them on one node.
type place struct {
	generations [3]string
	results     string
}

func (c *Cache) place(server, method, subject string) place {
	base := c.db.prefix + "cache:{" + strings.NewReplacer("{", "(", "}", ")").Replace(server) + "}:"
	return place{
		generations: [3]string{base + "g", base + "g:" + method, base + "g:" + method + ":" + subject},
		results:     base + "r:" + method + ":" + subject + ":",
	}
}

// split takes a key of the cache apart.
func (c *Cache) split(key string) (at place, rest string, err error) {
	parts := strings.SplitN(key, ":", 4)
	if len(parts) < 4 {
		return place{}, "", fmt.Errorf("%q is not a key of the cache", errors.PeerText(key, 80))
	}
	return c.place(parts[0], parts[1], parts[2]), parts[3], nil
}

// Get implements policy.CacheStore.
func (c *Cache) Get(ctx context.Context, own, shared string) (value []byte, mark string, err error) {
	at, ownRest, err := c.split(own)
	if err != nil {
		return nil, "", err
	}
	_, sharedRest, err := c.split(shared)
	if err != nil {
		return nil, "", err
	}
	keys := append(at.generations[:], at.results+ownRest)
	if sharedRest != ownRest {
		keys = append(keys, at.results+sharedRest)
	}
	err = c.do(ctx, func(ctx context.Context, client rueidis.Client) (err error) {
		found, err := rueidis.MGetCache(client, ctx, nearLife, keys)
		if err != nil {
			return err
		}
		if mark = markOf(found, keys[:3]); mark == "" {
			mark, err = c.makeGenerations(ctx, client, keys[:3])
			return err
		}
		for _, key := range keys[3:] {
			if value = current(found[key], mark); value != nil {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	return value, mark, nil
}

// markOf joins the generations; "" if one is missing.
func markOf(found map[string]rueidis.RedisMessage, generations []string) string {
	var words [3]string
	for i, key := range generations {
		message := found[key]
		word, err := message.ToString()
		if err != nil || word == "" {
			return ""
		}
		words[i] = word
	}
	return strings.Join(words[:], ".")
}

// current returns a kept result if it is of these generations: it is the mark, a
// line feed, and the result.
func current(kept rueidis.RedisMessage, mark string) []byte {
	text, err := kept.AsBytes() // of the near cache: nobody changes it
	if err != nil || len(text) <= len(mark) || text[len(mark)] != '\n' || string(text[:len(mark)]) != mark {
		return nil
	}
	return text[len(mark)+1:]
}

func (c *Cache) makeGenerations(ctx context.Context, client rueidis.Client, keys []string) (mark string, err error) {
	script := client.B().Eval().Script(generationsScript).Numkeys(3).Key(keys...).
		Arg(rand.Text()[:16], fmt.Sprint(milliseconds(generationLife))).Build()
	return obeyed(ctx, client, script, keys[0]).ToString()
}

// Set implements policy.CacheStore.
func (c *Cache) Set(ctx context.Context, key string, value []byte, ttl time.Duration, mark string) error {
	at, rest, err := c.split(key)
	if err != nil || mark == "" {
		return err
	}
	kept := bytes.Join([][]byte{[]byte(mark), value}, []byte{'\n'})
	return c.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		script := client.B().Eval().Script(keepScript).Numkeys(4).Key(append(at.generations[:], at.results+rest)...).
			Arg(mark, rueidis.BinaryString(kept), fmt.Sprint(milliseconds(ttl)), fmt.Sprint(milliseconds(generationLife))).Build()
		return obeyed(ctx, client, script, at.generations[0]).Error()
	})
}

// Delete implements policy.CacheStore.
func (c *Cache) Delete(ctx context.Context, prefix string) error {
	parts := strings.Split(strings.TrimSuffix(prefix, ":"), ":")
	if len(parts) > 3 || parts[0] == "" {
		return fmt.Errorf("%q is not a prefix of keys of the cache", errors.PeerText(prefix, 80))
	}
	depth := len(parts) - 1
	parts = append(parts, "", "")
	c.owe(c.place(parts[0], parts[1], parts[2]).generations[depth])
	return c.do(ctx, func(context.Context, rueidis.Client) error { return nil })
}

// owe notes a generation that is to be replaced.
func (c *Cache) owe(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owed == nil {
		c.owed = map[string]struct{}{}
	}
	if len(c.owed) >= mostOwed { // then rather everything of the server
		server, _, _ := strings.Cut(key, "}:")
		key = server + "}:g"
	}
	c.owed[key] = struct{}{}
}

// mostOwed bounds what is noted while the store is down, beside one generation for
// each server.
const mostOwed = 1000

// do replaces the generations that are owed, and then runs the operation.
func (c *Cache) do(ctx context.Context, operation func(ctx context.Context, client rueidis.Client) error) error {
	return c.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		c.mu.Lock()
		owed := slices.Collect(maps.Keys(c.owed))
		c.mu.Unlock()
		for _, key := range owed {
			set := client.B().Set().Key(key).Value(rand.Text()[:16]).PxMilliseconds(milliseconds(generationLife)).Build()
			if err := obeyed(ctx, client, set, key).Error(); err != nil {
				return err
			}
			c.mu.Lock()
			delete(c.owed, key)
			c.mu.Unlock()
		}
		return operation(ctx, client)
	})
}

// obeyed runs a command that changes keys, and waits until this replica has heard
// of that too: Redis tells so before it answers the next command of the same
// connection. key is on the same node.
func obeyed(ctx context.Context, client rueidis.Client, command rueidis.Completed, key string) rueidis.RedisResult {
	return client.DoMulti(ctx, command, client.B().Exists().Key(key).Build())[0]
}
