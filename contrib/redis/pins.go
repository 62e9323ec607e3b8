package redis

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Pins is the policy.PinStore in Redis: a hash for each server, which does not
// expire. Each pin is signed with the store's key. One that is not, since it was
// forged, or written with another key, counts as a pin that no definition fits: the
// tool has changed until somebody accepts it, which signs it anew. Who can write to
// Redis can still delete pins, or bring back one that was accepted before; replicas
// that have read them keep them.
type Pins struct {
	db     *database
	seal   *sealer
	warned atomic.Bool
}

var _ policy.PinStore = (*Pins)(nil)

// foreignPin stands for the digest of a pin that does not count.
const foreignPin = "not signed with the key of the store"

func (p *Pins) key(server string) string { return p.db.prefix + "pins:" + server }

// Pins implements policy.PinStore.
func (p *Pins) Pins(ctx context.Context, server string) (pins map[string]string, err error) {
	key := p.key(server)
	err = p.db.do(ctx, func(ctx context.Context, client rueidis.Client) (err error) {
		pins, err = client.Do(ctx, client.B().Hgetall().Key(key).Build()).AsStrMap()
		return err
	})
	if err != nil {
		return nil, err
	}
	for tool, signed := range pins {
		digest, err := p.seal.readPin(key, tool, signed)
		if err != nil {
			digest = foreignPin
			if p.warned.CompareAndSwap(false, true) {
				p.db.log.Warn("a pinned tool in the store was forged, or written with another key (store.key): such tools have changed until they are accepted", "server", server)
			}
		}
		pins[tool] = digest
	}
	return pins, nil
}

// Pin implements policy.PinStore.
func (p *Pins) Pin(ctx context.Context, server string, digests map[string]string, replace bool) error {
	if len(digests) == 0 {
		return nil
	}
	key := p.key(server)
	signed := make(map[string]string, len(digests))
	for tool, digest := range digests {
		signed[tool] = p.seal.signPin(key, tool, digest)
	}
	return p.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		if replace {
			return client.Do(ctx, client.B().Hset().Key(key).FieldValue().FieldValueIter(maps.All(signed)).Build()).Error()
		}
		var commands rueidis.Commands
		for tool, pin := range signed {
			commands = append(commands, client.B().Hsetnx().Key(key).Field(tool).Value(pin).Build())
		}
		for _, answer := range client.DoMulti(ctx, commands...) {
			if err := answer.Error(); err != nil {
				return err
			}
		}
		return nil
	})
}
