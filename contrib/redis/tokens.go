package redis

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/auth"
)

// Tokens is the auth.Store in Redis: tokens, registrations, logins under way and
// leases. Each of its methods is one command or one script. How long a record has
// still to live is told to Redis, which counts it by its own clock, so that the
// clocks of replicas need not agree.
type Tokens struct {
	db   *database
	seal *sealer
}

var _ auth.Store = (*Tokens)(nil)

// Scripts; each works on one key. ARGV[1] is the tag of what must be there, "" for
// nothing and "*" for anything; ARGV[2] is the new value, and ARGV[3] the
// milliseconds that it has to live: 0 is for ever, less is over already.
const (
	swapScript = `
local current = redis.call('GET', KEYS[1])
if ARGV[1] == '' then
  if current then return 0 end
elseif ARGV[1] ~= '*' and (not current or string.sub(current, 1, #ARGV[1]) ~= ARGV[1]) then
  return 0
end
local life = tonumber(ARGV[3])
if life < 0 then redis.call('DEL', KEYS[1])
elseif life == 0 then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', life) end
return 1`
	deleteScript = `
local current = redis.call('GET', KEYS[1])
if not current or (ARGV[1] ~= '*' and string.sub(current, 1, #ARGV[1]) ~= ARGV[1]) then return 0 end
return redis.call('DEL', KEYS[1])`
)

const (
	tagOfNothing  = ""
	tagOfAnything = "*"
)

func (t *Tokens) key(key auth.Key) string { return t.db.prefix + "auth:" + t.seal.name(key) }

// Get implements auth.Store. A record that does not open with the key is an error.
func (t *Tokens) Get(ctx context.Context, key auth.Key) (value []byte, found bool, err error) {
	var sealed []byte
	err = t.db.do(ctx, func(ctx context.Context, client rueidis.Client) (err error) {
		sealed, err = client.Do(ctx, client.B().Get().Key(t.key(key)).Build()).AsBytes()
		if rueidis.IsRedisNil(err) {
			return nil
		}
		found = err == nil
		return err
	})
	if err != nil || !found {
		return nil, false, err
	}
	if value, err = t.seal.open(key, sealed); err != nil {
		return nil, false, err
	}
	return value, true, nil
}

// Put implements auth.Store.
func (t *Tokens) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	_, err := t.run(ctx, swapScript, key, tagOfAnything, value, expires)
	return err
}

// Swap implements auth.Store. If it fails it may have swapped all the same.
func (t *Tokens) Swap(ctx context.Context, key auth.Key, old, value []byte, expires time.Time) (swapped bool, err error) {
	tag := tagOfNothing
	if old != nil {
		tag = string(t.seal.tag(key, old))
	}
	return t.run(ctx, swapScript, key, tag, value, expires)
}

// Delete implements auth.Store. With old nil it also removes a record that does not
// open.
func (t *Tokens) Delete(ctx context.Context, key auth.Key, old []byte) (removed bool, err error) {
	tag := tagOfAnything
	if old != nil {
		tag = string(t.seal.tag(key, old))
	}
	return t.run(ctx, deleteScript, key, tag, nil, time.Time{})
}

// run runs a script on a record; value is not sealed yet, nil for none.
func (t *Tokens) run(ctx context.Context, script string, key auth.Key, tag string, value []byte, expires time.Time) (done bool, err error) {
	var sealed []byte
	if value != nil {
		sealed = t.seal.seal(key, value)
	}
	err = t.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		arguments := []string{tag, rueidis.BinaryString(sealed), fmt.Sprint(lifeOf(expires))}
		answer, err := client.Do(ctx, client.B().Eval().Script(script).Numkeys(1).Key(t.key(key)).Arg(arguments...).Build()).AsInt64()
		done = answer == 1
		return err
	})
	return done && err == nil, err
}

// lifeOf is how long a record has to live in milliseconds, 0 for ever, -1 if it is
// over.
func lifeOf(expires time.Time) int64 {
	if expires.IsZero() {
		return 0
	}
	if left := time.Until(expires); left > 0 {
		return milliseconds(left)
	}
	return -1
}

// Format shows nothing of the keys.
func (t *Tokens) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "tokens in Redis") }
