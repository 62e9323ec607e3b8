package factory

import (
	"fmt"
	"strconv"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
)

// maxInstances bounds the processes of one server and principal.
const maxInstances = 64

// instanceKeys say by how many processes a server is served; see package pool.
type instanceKeys struct {
	Instances   int         `config:"instances" default:"1" doc:"processes that serve the calls, each supervised, started as calls need them: 1 to 64"`
	MaxInFlight maxInFlight `config:"max_in_flight" default:"off" doc:"calls that may run on one process; further ones wait in line; off means no limit"`
}

// maxInFlight is a number of calls; 0 is off.
type maxInFlight int

// ConfigType names the type in documentation.
func (maxInFlight) ConfigType() string { return "integer or off" }

// UnmarshalConfig reads a whole number of 1 or more, or off. (In YAML 1.1 off is
// false.)
func (m *maxInFlight) UnmarshalConfig(v any) error {
	text := fmt.Sprint(v)
	if text == "off" || v == false {
		*m = 0
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return &config.ValueError{Message: "not a number of calls", Allowed: "a whole number of 1 or more, or off"}
	}
	*m = maxInFlight(n)
	return nil
}

// check returns the faults of values that decoding cannot judge.
func (k instanceKeys) check(section *config.Section) []errors.Fault {
	if k.Instances >= 1 && k.Instances <= maxInstances {
		return nil
	}
	fault := section.Fault("instances", "not a number of processes that one server may have")
	fault.Found, fault.Allowed = strconv.Itoa(k.Instances), fmt.Sprintf("1 to %d", maxInstances)
	return []errors.Fault{fault}
}

// pooled returns a function that opens as many bases as configured, behind one;
// open itself where one base without a limit is all there is.
func (k instanceKeys) pooled(build Build, open BaseFunc) BaseFunc {
	if k.Instances <= 1 && k.MaxInFlight == 0 {
		return open
	}
	return func(caller Caller) (transporters.Base, error) {
		instances := make([]transporters.Base, 0, k.Instances)
		for range k.Instances {
			base, err := open(caller)
			if err != nil {
				for _, opened := range instances {
					_ = opened.Close() // it has not begun anything
				}
				return nil, err
			}
			instances = append(instances, base)
		}
		return pool.New(build.Server, pool.Config{
			MaxInFlight:       int(k.MaxInFlight),
			MaxRequestTimeout: build.Settings.MaxRequestTimeout.Or(0),
		}, instances...), nil
	}
}
