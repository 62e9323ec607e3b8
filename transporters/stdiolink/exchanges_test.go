package stdiolink

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Exchanges whose ids share a place are told apart, whichever leaves first.
func TestExchangesThatShareAPlace(t *testing.T) {
	made := func(id uint64) *exchange { return &exchange{id: id} }
	for name, order := range map[string][]int{"first come": {0, 1, 2}, "last come": {2, 1, 0}, "between": {1, 0, 2}} {
		t.Run(name, func(t *testing.T) {
			var table exchanges
			all := []*exchange{made(7), made(7 + nearby), made(7 + 2*nearby)}
			for _, e := range all {
				require.Nil(t, table.get(e.id))
				table.put(e)
			}
			require.Nil(t, table.get(7+3*nearby))
			for left := len(all); left > 0; left-- {
				require.Equal(t, left, table.count)
				var seen []*exchange
				for e := range table.all() {
					seen = append(seen, e)
				}
				gone := order[:len(all)-left]
				for i, e := range all {
					if slices.Contains(gone, i) {
						require.Nil(t, table.get(e.id))
						require.NotContains(t, seen, e)
						continue
					}
					require.Same(t, e, table.get(e.id))
					require.Contains(t, seen, e)
				}
				table.remove(all[order[len(all)-left]])
			}
			require.Zero(t, table.count)
			table.put(all[1])
			require.Same(t, all[1], table.get(all[1].id), "the place is free again")
		})
	}
}
