package transporters_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-7": 0, "1.5": 0, "soon": 0, "99999999999999999999": 0,
		"Tue, 28 Jul 2026 12:00:30 GMT": 30 * time.Second, "Tue, 28 Jul 2026 11:00:00 GMT": 0,
	} {
		assert.Equal(t, want, transporters.RetryAfter(http.Header{"Retry-After": {value}}, now), "%q", value)
	}
	assert.Zero(t, transporters.RetryAfter(nil, now))
}
