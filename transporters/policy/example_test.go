package policy_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Policies can be put around any transporter by hand, here one that fails at
// first.
func Example() {
	failures := 2
	server := transporters.TransporterFunc(func(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		if failures--; failures >= 0 {
			return mcp.Result{}, &errors.TransporterRequestError{
				Server: "files", Action: action, Kind: errors.KindTransport, Delivery: errors.DeliveryNotSent, Err: errors.ErrNotSent,
			}
		}
		return mcp.NewResult([]byte(`{"tools":[]}`)), nil
	})
	chain := transporters.Chain(server,
		policy.Retry("files", policy.RetryConfig{Attempts: 3}, policy.RetryOptions{
			Backoff: func(attempt int, err error) time.Duration {
				fmt.Println("attempt", attempt, "failed:", err)
				return time.Millisecond
			},
		}),
		policy.Breaker("files", policy.BreakerConfig{Failures: 10, OpenFor: config.Of(time.Minute), Probes: 1}, nil),
		policy.Limit("files", policy.LimitConfig{InFlight: 5, Queue: 100}, policy.LimitOptions{}),
	)
	result, err := chain.Request(context.Background(), "tools/list", nil, nil)
	fmt.Println(string(result.Raw()), err)
	// Output:
	// attempt 1 failed: mcp server "files": tools/list: not sent
	// attempt 2 failed: mcp server "files": tools/list: not sent
	// {"tools":[]} <nil>
}
