package config

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// longestDuration bounds what a file may say, so that a number in the wrong
// unit is noticed and arithmetic on durations cannot overflow.
const longestDuration = 10 * 365 * 24 * time.Hour

// durationSyntax is what faults say is allowed.
const durationSyntax = `a duration such as 30s or 1m30s, a number of seconds, or off`

// Duration is a length of time in a configuration: a Go duration ("30s",
// "1m30s"), a number of seconds, or "off". It tells absent, off and a value
// apart; the zero Duration is absent. In a file a negative value is a fault, so
// is more than ten years, and so is 0 unless the field has the tag option zero.
// Durations are comparable and immutable.
type Duration struct {
	state durationState
	value time.Duration
}

type durationState uint8

const (
	durationAbsent durationState = iota
	durationOff
	durationValue
)

// Of returns a Duration of d. It is not checked here: a Duration that comes
// through FromMap or FromServers is checked when its section is decoded.
func Of(d time.Duration) Duration { return Duration{state: durationValue, value: d} }

// Seconds returns a Duration of s seconds, rounded to nanoseconds. Values that
// a time.Duration cannot hold become the nearest that it can; NaN becomes 0.
func Seconds(s float64) Duration {
	nanoseconds := math.Round(s * float64(time.Second))
	switch {
	case math.IsNaN(nanoseconds):
		return Of(0)
	case nanoseconds >= math.MaxInt64:
		return Of(math.MaxInt64)
	case nanoseconds <= math.MinInt64:
		return Of(math.MinInt64)
	}
	return Of(time.Duration(nanoseconds))
}

// Off returns the Duration that switches a limit off.
func Off() Duration { return Duration{state: durationOff} }

// Value returns the length of time; ok is false when d is off or absent.
func (d Duration) Value() (length time.Duration, ok bool) {
	return d.value, d.state == durationValue
}

// IsOff reports whether d was explicitly switched off.
func (d Duration) IsOff() bool { return d.state == durationOff }

// IsSet reports whether d was given at all, as a value or as off.
func (d Duration) IsSet() bool { return d.state != durationAbsent }

// IsZero reports whether d is absent. It makes omitzero of encoding/json work.
func (d Duration) IsZero() bool { return d.state == durationAbsent }

// Or returns the value of d, fallback where d is absent, and 0, for no limit,
// where d is off: what was switched off never comes back as a fallback.
func (d Duration) Or(fallback time.Duration) time.Duration {
	switch d.state {
	case durationValue:
		return d.value
	case durationOff:
		return 0
	default:
		return fallback
	}
}

// String returns the duration in Go's syntax, "off", or "" when absent.
func (d Duration) String() string {
	switch d.state {
	case durationValue:
		return d.value.String()
	case durationOff:
		return "off"
	default:
		return ""
	}
}

// MarshalText is String, for encoders. It never fails.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// check returns what is wrong with d as a configured value, or nil.
func (d Duration) check(zeroAllowed bool) *ValueError {
	switch {
	case d.state != durationValue:
		return nil
	case d.value < 0:
		return &ValueError{Message: "a duration cannot be negative", Allowed: durationSyntax}
	case d.value == 0 && !zeroAllowed:
		return &ValueError{Message: "0 is not a duration here", Allowed: durationSyntax}
	case d.value > longestDuration:
		return &ValueError{Message: "longer than ten years", Allowed: durationSyntax}
	}
	return nil
}

// parseDuration reads the text of a string or a number.
func parseDuration(text string) (Duration, *ValueError) {
	if text == "off" {
		return Off(), nil
	}
	if isDecimal(text) {
		if hasLeadingZero(text) {
			return Duration{}, leadingZeroError(durationSyntax)
		}
		seconds, err := strconv.ParseFloat(text, 64)
		if err == nil && seconds > 0 && seconds < 1e-9 {
			return Duration{}, &ValueError{Message: "shorter than a nanosecond", Allowed: durationSyntax}
		}
		if math.Abs(seconds) > longestDuration.Seconds() {
			seconds = math.Copysign(2*longestDuration.Seconds(), seconds)
		}
		return Seconds(seconds), nil
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		return Duration{}, &ValueError{Message: "not a duration", Allowed: durationSyntax}
	}
	return Of(length), nil
}

// isDecimal reports whether text is a plain decimal number, with or without a
// sign, a fraction and an exponent. The hexadecimal, infinite and underscored
// forms that strconv knows are not.
func isDecimal(text string) bool {
	if text == "" || strings.Trim(text, "+-0123456789.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || isRangeError(err)
}
