package redis

import (
	"context"
	"maps"

	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Pins is the policy.PinStore in Redis: a hash for each server, which does not
// expire.
type Pins struct{ db *database }

var _ policy.PinStore = (*Pins)(nil)

func (p *Pins) key(server string) string { return p.db.prefix + "pins:" + server }

// Pins implements policy.PinStore.
func (p *Pins) Pins(ctx context.Context, server string) (pins map[string]string, err error) {
	err = p.db.do(ctx, func(ctx context.Context, client rueidis.Client) (err error) {
		pins, err = client.Do(ctx, client.B().Hgetall().Key(p.key(server)).Build()).AsStrMap()
		return err
	})
	return pins, err
}

// Pin implements policy.PinStore.
func (p *Pins) Pin(ctx context.Context, server string, digests map[string]string, replace bool) error {
	if len(digests) == 0 {
		return nil
	}
	return p.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		if replace {
			return client.Do(ctx, client.B().Hset().Key(p.key(server)).FieldValue().FieldValueIter(maps.All(digests)).Build()).Error()
		}
		var commands rueidis.Commands
		for tool, digest := range digests {
			commands = append(commands, client.B().Hsetnx().Key(p.key(server)).Field(tool).Value(digest).Build())
		}
		for _, answer := range client.DoMulti(ctx, commands...) {
			if err := answer.Error(); err != nil {
				return err
			}
		}
		return nil
	})
}
