package policy

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Members of _meta that carry the context of a trace, in the formats of W3C
// Trace Context and W3C Baggage (R026).
const (
	MetaTraceparent = "traceparent"
	MetaTracestate  = "tracestate"
	MetaBaggage     = "baggage"
)

// Limits that W3C Trace Context and Baggage set.
const (
	maxTracestateMembers = 32
	maxTracestateBytes   = 8192 // ours: the specification asks for at least 512
	maxBaggageMembers    = 180
	maxBaggageBytes      = 8192
)

// Traceparent names the span that a request belongs to. It may be put into
// _meta as it is: it encodes to its text.
type Traceparent struct {
	TraceID [16]byte
	SpanID  [8]byte
	// Flags is 1 for a trace that is recorded.
	Flags byte
}

// IsSampled reports whether the caller may have recorded the trace.
func (t Traceparent) IsSampled() bool { return t.Flags&1 == 1 }

// String returns the text of version 00.
func (t Traceparent) String() string {
	return fmt.Sprintf("00-%x-%x-%02x", t.TraceID, t.SpanID, t.Flags)
}

// MarshalText returns String. Ids of zeros only are an error.
func (t Traceparent) MarshalText() ([]byte, error) { return []byte(t.String()), t.check() }

func (t Traceparent) check() error {
	switch {
	case t.TraceID == [16]byte{}:
		return errors.New("the trace id has only zeros")
	case t.SpanID == [8]byte{}:
		return errors.New("the span id has only zeros")
	default:
		return nil
	}
}

// traceparentLength is that of version 00: 00-<32 digits>-<16 digits>-<2 digits>.
const traceparentLength = 55

// ParseTraceparent reads a traceparent. A version later than 00 may have more
// behind a further dash, which is ignored; version ff, uppercase digits and ids
// of zeros only are errors.
func ParseTraceparent(text string) (Traceparent, error) {
	var t Traceparent
	if len(text) < traceparentLength || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return t, badTraceparent(text)
	}
	var version [1]byte
	var flags [1]byte
	for _, field := range []struct {
		into []byte
		text string
	}{{version[:], text[:2]}, {t.TraceID[:], text[3:35]}, {t.SpanID[:], text[36:52]}, {flags[:], text[53:55]}} {
		if _, err := hex.Decode(field.into, []byte(field.text)); err != nil || strings.ToLower(field.text) != field.text {
			return Traceparent{}, badTraceparent(text)
		}
	}
	isLonger := len(text) > traceparentLength
	if version[0] == 0xff || isLonger && (version[0] == 0 || text[traceparentLength] != '-') {
		return Traceparent{}, badTraceparent(text)
	}
	t.Flags = flags[0]
	return t, t.check()
}

func badTraceparent(text string) error {
	return fmt.Errorf("found %q; allowed: 00-<32 lowercase hex digits>-<16>-<2>", errors.PeerText(text, maxShown))
}

// checkTracestate checks a list of up to 32 key=value members.
func checkTracestate(text string) error {
	if len(text) > maxTracestateBytes {
		return fmt.Errorf("%d bytes are too many; allowed: %d", len(text), maxTracestateBytes)
	}
	members := 0
	for member := range strings.SplitSeq(text, ",") {
		if member = strings.Trim(member, " \t"); member == "" {
			continue
		}
		key, value, found := strings.Cut(member, "=")
		if !found || !isTracestateKey(key) || !isTracestateValue(value) {
			return errors.New("a member is not key=value in the allowed characters")
		}
		members++
	}
	if members == 0 || members > maxTracestateMembers {
		return fmt.Errorf("%d members; allowed: 1 to %d", members, maxTracestateMembers)
	}
	return nil
}

func isTracestateKey(key string) bool {
	name, system, hasSystem := strings.Cut(key, "@")
	if hasSystem && (system == "" || len(system) > 14) || name == "" || len(key) > 256 {
		return false
	}
	for i, c := range []byte(name + system) {
		isLower, isDigit := c >= 'a' && c <= 'z', c >= '0' && c <= '9'
		isFirst := i == 0 || i == len(name)
		isMark := strings.IndexByte("_-*/", c) >= 0
		if !isLower && !isDigit && (isFirst || !isMark) {
			return false
		}
	}
	return true
}

func isTracestateValue(value string) bool {
	if value == "" || len(value) > 256 || strings.HasSuffix(value, " ") {
		return false
	}
	for _, c := range []byte(value) {
		if c < ' ' || c > '~' || c == ',' || c == '=' {
			return false
		}
	}
	return true
}

// checkBaggage checks a list of key=value members, each with properties behind
// semicolons.
func checkBaggage(text string) error {
	if len(text) > maxBaggageBytes {
		return fmt.Errorf("%d bytes are too many; allowed: %d", len(text), maxBaggageBytes)
	}
	members := 0
	for member := range strings.SplitSeq(text, ",") {
		members++
		pair, properties, _ := strings.Cut(member, ";")
		key, value, found := strings.Cut(pair, "=")
		if !found || !isToken(strings.Trim(key, " \t")) || !isBaggageText(strings.Trim(value, " \t")) || !isBaggageText(strings.NewReplacer(";", "", " ", "", "\t", "").Replace(properties)) {
			return errors.New("a member is not key=value in the allowed characters")
		}
	}
	if members > maxBaggageMembers {
		return fmt.Errorf("%d members; allowed: %d", members, maxBaggageMembers)
	}
	return nil
}

// isToken is a token of RFC 9110.
func isToken(text string) bool {
	for _, c := range []byte(text) {
		isAlphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !isAlphanumeric && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

// isBaggageText has the characters that need no percent-encoding.
func isBaggageText(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' || strings.IndexByte(`",;\`, c) >= 0 {
			return false
		}
	}
	return true
}
