package factory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

func TestInstanceKeys(t *testing.T) {
	for text, want := range map[string][]string{
		"instances: 1":                      nil,
		"instances: 64":                     nil,
		"instances: 4, max_in_flight: 16":   nil,
		"max_in_flight: off":                nil,
		"instances: 0":                      {"instances: not a number of processes that one server may have; found 0; allowed: 1 to 64"},
		"instances: -3":                     {"instances: "},
		"instances: 65":                     {"instances: "},
		"instances: many":                   {"instances: "},
		"max_in_flight: 0":                  {"max_in_flight: not a number of calls; found 0; allowed: a whole number of 1 or more, or off"},
		"max_in_flight: 1.5":                {"max_in_flight: "},
		"max_in_flight: none":               {"max_in_flight: "},
		"max_in_flight: [1]":                {"max_in_flight: "},
		"instances: 0, max_in_flight: 0":    {"instances: ", "max_in_flight: "},
		"max_inflight: 3":                   {`max_inflight: unknown key; did you mean "max_in_flight"?`},
		"instance: 3":                       {`instance: unknown key; did you mean "instances"?`},
		"instances: 2, supervision: {x: 1}": {"supervision.x: unknown key"},
	} {
		t.Run(text, func(t *testing.T) {
			faults := New().Check(section(t, "servers:\n  s: {type: stdio, command: [x], "+text+"}\n"))
			require.Len(t, faults, len(want), "%v", faults)
			for i := range want {
				assert.ErrorContains(t, &errors.ServerConfigurationError{Faults: faults[i : i+1]}, want[i])
			}
		})
	}
}

func TestInstancesOfAnHTTPServer(t *testing.T) {
	faults := New().Check(section(t, "servers:\n  s: {type: http, base_url: http://h, instances: 3}\n"))
	require.Len(t, faults, 1)
	assert.Equal(t, "unknown key for type http: it belongs to type stdio", faults[0].Message)
}

// A pool is made only where there is something to share or to bound.
func TestWhatServesAProcess(t *testing.T) {
	for text, pooled := range map[string]bool{
		"instances: 1": false, "max_in_flight: off": false, "instances: 2": true, "max_in_flight: 3": true,
	} {
		s := section(t, "servers:\n  s: {type: stdio, command: [x], "+text+"}\n")
		_, blueprint, faults := New().read(s)
		require.Empty(t, faults)
		base, err := blueprint.Open(Caller{Credentials: &Credentials{}})
		require.NoError(t, err)
		if pooled {
			assert.IsType(t, &pool.Pool{}, base, text)
		} else {
			assert.IsType(t, &session.Session{}, base, text)
		}
		require.NoError(t, base.Close())
	}
}

// An instance that cannot be made takes those along that were made before it.
func TestInstancesThatCannotBeMade(t *testing.T) {
	var o opener
	open := func(caller Caller) (transporters.Base, error) {
		if len(o.all()) == 2 {
			return nil, errors.New("no more")
		}
		return o.open(caller)
	}
	_, err := instanceKeys{Instances: 3}.pooled(Build{Server: "s"}, open)(Caller{})
	require.EqualError(t, err, "no more")
	require.Len(t, o.all(), 2)
	for _, base := range o.all() {
		assert.EqualValues(t, 1, base.closes.Load())
	}
}
