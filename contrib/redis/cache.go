package redis

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Cache is the policy.CacheStore in Redis.
//
// Nothing is searched for to be deleted. A server has a generation, a random word; so
// has each of its methods, each subject of that, each principal that asks for it, and
// what all principals share. A result is kept together with the four that were in
// force before it was fetched, and counts only as long as they still are; a deletion
// gives one of them a new word. A generation that Redis has lost, by its expiry, an
// eviction or a restart, is replaced by another random word, so that what was kept
// under it is never found again.
//
// Results are encrypted, and their keys tell the server and the method, but not for
// whom they are. One that does not open is a miss.
//
// With near_cache what is read is kept in memory too. Redis remembers who has read
// what, and tells them when it changes (client-side caching); of a lost connection
// everything is forgotten. So a hit costs no round trip, and a deletion in one
// replica reaches the others as soon as Redis can write to them.
//
// A deletion that Redis did not take is made before anything else is read or kept. So
// is one that it may have forgotten: see the method again.
type Cache struct {
	db     *database
	seal   *sealer
	warned atomic.Bool
	places *lru.Cache[string, place]
	opened *opened

	mu     sync.Mutex
	owed   map[string]uint64 // generations that are to be replaced, and which owing it was
	owings uint64
	made   *simplelru.LRU[string, time.Time] // when they were last replaced
}

// newCache returns the store. So many bytes of opened results are remembered.
func newCache(db *database, seal *sealer, openedBytes int) *Cache {
	made, _ := simplelru.NewLRU[string, time.Time](mostOwed, nil) // fails only for a size below 1
	places, _ := lru.New[string, place](mostPlaces)               // likewise
	return &Cache{db: db, seal: seal, places: places, opened: newOpened(openedBytes), owed: map[string]uint64{}, made: made}
}

var _ policy.CacheClaimer = (*Cache)(nil)

const (
	// nearLife is how long a result is believed without asking Redis again.
	nearLife = 30 * time.Second
	// generationLife is how long a generation is kept that nobody uses. It is
	// renewed when half of it is over.
	generationLife = 7 * 24 * time.Hour
)

// Scripts. The keys of the first are the generations, and it makes those that are
// missing. Those of the second are the generations and the result, that of the third
// is a claim.
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
for i = 1, #KEYS - 1 do
  found[i] = redis.call('GET', KEYS[i])
  if not found[i] then return 0 end
end
if table.concat(found, '.') ~= ARGV[1] then return 0 end
for i = 1, #KEYS - 1 do
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[4]) / 2 then redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
end
redis.call('SET', KEYS[#KEYS], ARGV[2], 'PX', ARGV[3])
return 1`
	releaseScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`
)

// Get implements policy.CacheStore.
func (c *Cache) Get(ctx context.Context, own, shared string) (value []byte, mark string, err error) {
	mine, err := c.place(own)
	if err != nil {
		return nil, "", err
	}
	all, err := c.place(shared)
	if err != nil {
		return nil, "", err
	}
	if mine.generations[ofSubject] != all.generations[ofSubject] {
		return nil, "", fmt.Errorf("%q and %q are not keys of one subject", errors.PeerText(own, 80), errors.PeerText(shared, 80))
	}
	generations := append(mine.generations[:], all.generations[ofWhom])
	keys := append(mine.generations[:], mine.result)
	if own != shared {
		keys = append(keys, all.generations[ofWhom], all.result)
	}
	look := func(ctx context.Context, client rueidis.Client) (err error) {
		found, err := rueidis.MGetCache(client, ctx, nearLife, keys)
		if err != nil {
			return err
		}
		if mark = markOf(found, generations); mark == "" {
			mark, err = c.makeGenerations(ctx, client, generations)
			return err
		}
		if value = c.current(found[mine.result], mine, mark); value == nil && own != shared {
			value = c.current(found[all.result], all, mark)
		}
		return nil
	}
	err = c.do(ctx, look)
	if err == nil && c.isOwing() { // a connection was made for it, or something was deleted meanwhile
		value = nil
		err = c.do(ctx, look)
	}
	if err != nil {
		return nil, "", err
	}
	return value, mark, nil
}

// markOf joins the generations; "" if one is missing.
func markOf(found map[string]rueidis.RedisMessage, generations []string) string {
	words := make([]string, len(generations))
	for i, key := range generations {
		message := found[key]
		word, err := message.ToString()
		if err != nil || word == "" {
			return ""
		}
		words[i] = word
	}
	return strings.Join(words, ".")
}

// current returns a kept result if it is of the generations of the mark, and opens.
// It is their words, a line feed, and what is sealed.
func (c *Cache) current(kept rueidis.RedisMessage, at place, mark string) []byte {
	text, err := kept.AsBytes() // of the near cache: nobody changes it
	head := at.words(mark) + "\n"
	if err != nil || !bytes.HasPrefix(text, []byte(head)) {
		return nil
	}
	if value := c.opened.get(at.result, text); value != nil {
		return value
	}
	value, err := c.seal.openResult(at.result, head, text[len(head):])
	if err != nil {
		if c.warned.CompareAndSwap(false, true) {
			c.db.log.Warn("a cached result in the store does not open, and is fetched anew: it is damaged, or was written with another key (store.key)", "key", at.result)
		}
		return nil
	}
	c.opened.add(at.result, text, value)
	return value
}

func (c *Cache) makeGenerations(ctx context.Context, client rueidis.Client, keys []string) (mark string, err error) {
	script := client.B().Eval().Script(generationsScript).Numkeys(int64(len(keys))).Key(keys...).
		Arg(rand.Text()[:16], fmt.Sprint(milliseconds(generationLife))).Build()
	return obeyed(ctx, client, script, keys[0]).ToString()
}

// Set implements policy.CacheStore.
func (c *Cache) Set(ctx context.Context, key string, value []byte, ttl time.Duration, mark string) error {
	at, err := c.place(key)
	if err != nil || mark == "" {
		return err
	}
	words := at.words(mark)
	kept := c.seal.sealResult(at.result, words+"\n", value)
	return c.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		keys := append(at.generations[:], at.result)
		script := client.B().Eval().Script(keepScript).Numkeys(int64(len(keys))).Key(keys...).
			Arg(words, rueidis.BinaryString(kept), fmt.Sprint(milliseconds(ttl)), fmt.Sprint(milliseconds(generationLife))).Build()
		return obeyed(ctx, client, script, at.result).Error()
	})
}

// Delete implements policy.CacheStore.
func (c *Cache) Delete(ctx context.Context, prefix string) error {
	parts := strings.Split(strings.TrimSuffix(prefix, ":"), ":")
	if len(parts) > 3 || parts[0] == "" {
		return notAPrefix(prefix)
	}
	depth := len(parts) - 1
	parts = append(parts, "", "")
	c.owe(c.generations(parts[0], parts[1], parts[2], "")[depth])
	return c.db.do(ctx, c.pay)
}

// DeleteOf implements policy.CacheStore.
func (c *Cache) DeleteOf(ctx context.Context, prefixes, words []string) error {
	for _, prefix := range prefixes {
		parts := strings.Split(strings.TrimSuffix(prefix, ":"), ":")
		if len(parts) != 2 || parts[0] == "" {
			return notAPrefix(prefix)
		}
		for _, word := range words {
			c.owe(c.generations(parts[0], parts[1], "", word)[ofWhom])
		}
	}
	return c.db.do(ctx, c.pay)
}

func notAPrefix(prefix string) error {
	return fmt.Errorf("%q is not a prefix of keys of the cache", errors.PeerText(prefix, 80))
}

// Claim implements policy.CacheClaimer.
func (c *Cache) Claim(ctx context.Context, key, mark string, life time.Duration) (claim string, err error) {
	at, err := c.place(key)
	if err != nil {
		return "", err
	}
	word := rand.Text()
	err = c.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		err := client.Do(ctx, client.B().Set().Key(at.claim(mark)).Value(word).Nx().PxMilliseconds(milliseconds(life)).Build()).Error()
		if rueidis.IsRedisNil(err) {
			word, err = "", nil
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return word, nil
}

// Release implements policy.CacheClaimer.
func (c *Cache) Release(ctx context.Context, key, mark, claim string) error {
	at, err := c.place(key)
	if err != nil {
		return err
	}
	return c.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		return client.Do(ctx, client.B().Eval().Script(releaseScript).Numkeys(1).Key(at.claim(mark)).Arg(claim).Build()).Error()
	})
}
