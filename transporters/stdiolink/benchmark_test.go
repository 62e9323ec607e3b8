//go:build unix

package stdiolink

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// silentSink is a sink that costs nothing.
type silentSink struct{}

func (silentSink) Accepted()           {}
func (silentSink) Arrived()            {}
func (silentSink) Deliver(mcp.Message) {}

// BenchmarkExchange measures small calls from several goroutines to one child,
// which answers without parsing.
func BenchmarkExchange(b *testing.B) {
	for _, callers := range []int{1, 8, 64, 512} {
		b.Run(fmt.Sprint(callers, " callers"), func(b *testing.B) {
			link := New("bench", Config{
				Command: []string{os.Args[0]},
				Env:     map[string]config.Secret{childRole: config.LiteralSecret("mirror")},
			})
			require.NoError(b, link.Start(b.Context(), func(transporters.Link, mcp.Message) {}))
			defer func() { require.NoError(b, link.Close(context.Background())) }()
			var ids atomic.Uint64
			b.ReportAllocs()
			b.ResetTimer()
			b.SetParallelism(max(1, callers/2)) // times GOMAXPROCS, on the two processors this is compared on
			b.RunParallel(func(loop *testing.PB) {
				var frame []byte
				for loop.Next() {
					id := ids.Add(1)
					frame = strconv.AppendUint(append(frame[:0], `{"jsonrpc":"2.0","id":`...), id, 10)
					frame = append(frame, `,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`...)
					_, err := link.Exchange(context.Background(), &transporters.Outbound{ID: id, Frame: frame}, silentSink{})
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
