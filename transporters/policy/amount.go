package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
)

// Count is a number of things in a configuration, or off, which is 0.
type Count int

// ConfigType names the type in documentation.
func (Count) ConfigType() string { return "integer or off" }

// UnmarshalConfig reads a whole number of 1 or more, or off. (In YAML 1.1 off is
// false.)
func (c *Count) UnmarshalConfig(v any) error {
	text := fmt.Sprint(v)
	if text == "off" || v == false {
		*c = 0
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return &config.ValueError{Message: "not a number that can be a limit", Allowed: "a whole number of 1 or more, or off"}
	}
	*c = Count(n)
	return nil
}

// Rate is how many requests a second, or off, which is 0.
type Rate float64

// fastestRate and slowestRate bound what may be configured.
const (
	fastestRate Rate = 1e6
	slowestRate Rate = 1.0 / (24 * 3600)
)

// ConfigType names the type in documentation.
func (Rate) ConfigType() string { return "rate or off" }

// UnmarshalConfig reads a number of requests in a second, N/s, N/m, N/h, or off.
func (r *Rate) UnmarshalConfig(v any) error {
	text := fmt.Sprint(v)
	if text == "off" || v == false {
		*r = 0
		return nil
	}
	number, unit, _ := strings.Cut(text, "/")
	seconds := map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600}[unit]
	n, err := strconv.ParseFloat(number, 64)
	rate := Rate(n / seconds)
	if err != nil || seconds == 0 || math.IsNaN(n) || rate < slowestRate || rate > fastestRate || strings.HasSuffix(text, "/") {
		return &config.ValueError{Message: "not a rate", Allowed: "requests in a second such as 10, or 10/s, 600/m, 5000/h, from 1 a day to 1,000,000 a second, or off"}
	}
	*r = rate
	return nil
}

// String returns the rate in the unit that makes it readable.
func (r Rate) String() string {
	switch {
	case r == 0:
		return "off"
	case r >= 1:
		return strconv.FormatFloat(float64(r), 'g', 6, 64) + "/s"
	case r*60 >= 1:
		return strconv.FormatFloat(float64(r*60), 'g', 6, 64) + "/m"
	default:
		return strconv.FormatFloat(float64(r*3600), 'g', 6, 64) + "/h"
	}
}
