package transporters_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// Whatever a server asks for is a wait that is not negative.
func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"", "0", "120", "-1", "2147483648", "Fri, 31 Dec 1999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "1.5", " 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.GreaterOrEqual(t, transporters.RetryAfter(http.Header{"Retry-After": {text}}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), time.Duration(0))
	})
}
