package redis

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Turns is the policy.TurnStore in Redis: the generic cell rate algorithm, by the
// clock of Redis. Of each rate only the time is kept at which the next turn would
// come without a burst, and no longer than it matters.
type Turns struct{ db *database }

var _ policy.TurnStore = (*Turns)(nil)

// turnScript answers the microseconds to wait, and whether the turn is taken. ARGV
// is the time between two turns, what a burst may be ahead, and the longest wait,
// all in microseconds.
const turnScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local pace, ahead, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local next = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local wait = math.max(0, next - now - ahead)
if wait > longest then return {math.ceil(wait), 0} end
next = next + pace
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000) + 1000)
return {math.ceil(wait), 1}`

// Turn implements policy.TurnStore. Times are counted in microseconds.
func (t *Turns) Turn(ctx context.Context, key string, perSecond float64, burst int, longest time.Duration) (wait time.Duration, taken bool, err error) {
	err = t.db.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		pace := 1e6 / perSecond
		answer, err := client.Do(ctx, client.B().Eval().Script(turnScript).Numkeys(1).Key(t.db.prefix+"turns:"+key).
			Arg(number(pace), number(pace*float64(burst-1)), fmt.Sprint(max(0, longest).Microseconds())).Build()).AsIntSlice()
		if err != nil {
			return err
		}
		if len(answer) != 2 {
			return fmt.Errorf("the script answered %d numbers", len(answer))
		}
		if answer[0] > math.MaxInt64/int64(time.Microsecond) {
			answer[0] = math.MaxInt64 / int64(time.Microsecond)
		}
		wait, taken = time.Duration(answer[0])*time.Microsecond, answer[1] == 1
		return nil
	})
	if err != nil {
		return 0, false, err
	}
	return wait, taken, nil
}

func number(value float64) string { return strconv.FormatFloat(value, 'f', 3, 64) }
