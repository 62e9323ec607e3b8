package redis

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// Verdicts is the session.VerdictStore in Redis. What it fails at it logs, and the
// era is found out again.
type Verdicts struct{ db *database }

var _ session.VerdictStore = (*Verdicts)(nil)

// verdictLife is how long a verdict is kept that nobody confirms.
const verdictLife = 30 * 24 * time.Hour

func (v *Verdicts) key(key string) string { return v.db.prefix + "era:" + key }

// LoadVerdict implements session.VerdictStore.
func (v *Verdicts) LoadVerdict(ctx context.Context, key string) (verdict session.Verdict, found bool) {
	err := v.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		text, err := client.Do(ctx, client.B().Get().Key(v.key(key)).Build()).AsBytes()
		if rueidis.IsRedisNil(err) {
			return nil
		}
		if err != nil {
			return err
		}
		found = json.Unmarshal(text, &verdict) == nil
		return nil
	})
	if err != nil {
		v.db.log.Debug("the era of a server could not be read from the store", "error", err)
	}
	return verdict, found && err == nil
}

// SaveVerdict implements session.VerdictStore.
func (v *Verdicts) SaveVerdict(ctx context.Context, key string, verdict session.Verdict) {
	text, err := json.Marshal(verdict)
	if err == nil {
		err = v.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
			return client.Do(ctx, client.B().Set().Key(v.key(key)).Value(string(text)).PxMilliseconds(milliseconds(verdictLife)).Build()).Error()
		})
	}
	if err != nil {
		v.db.log.Debug("the era of a server could not be written to the store", "error", err)
	}
}
