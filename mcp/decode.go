package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// How the types of this package decode: every value is read by one walk of a
// cursor over bytes that were validated on arrival, without reflection. Whatever
// is not looked at is kept raw, as slices of those bytes. A member of a wrong
// type, null included, counts as absent: one odd title must not make a thousand
// tools unusable. What a type cannot be without is an error.

// maxEntries bounds the entries of one page, one resource or one prompt, since
// a short entry on the wire takes far more room in memory (P101).
const maxEntries = 1 << 16

// maxFaults bounds how many faults are described.
const maxFaults = 16

// entry is what lists are made of. read consumes one value; the returned text
// says what makes it unusable, empty if nothing.
type entry interface {
	read(c *jsonscan.Cursor) (problem string)
}

// readEntries reads an array of entries. Unusable ones are left out and
// described in faults.
func readEntries[T any, P interface {
	*T
	entry
}](c *jsonscan.Cursor, what string, faults *[]error) ([]T, error) {
	if !c.Array() {
		kind := kindOf(c.Value())
		return nil, fmt.Errorf("%q must be an array, found %s", what, kind)
	}
	entries := []T{}
	for index := 0; c.Element(); index++ {
		if index == maxEntries {
			return nil, fmt.Errorf("%q has more than %d entries", what, maxEntries)
		}
		start := c.Pos()
		entries = append(entries, *new(T))
		if problem := P(&entries[len(entries)-1]).read(c); problem != "" {
			entries = entries[:len(entries)-1]
			if len(*faults) < maxFaults {
				*faults = append(*faults, fmt.Errorf("%w: %s[%d] %s", errors.ErrProtocol, what, index, problem))
			}
		}
		if index == 0 && c.Err() == nil {
			entries = withRoom(entries, c, c.Pos()-start)
		}
	}
	return entries, c.Err()
}

// withRoom makes room for the rest of the array, guessed from the size of its
// first entry, so that a long list is not moved again and again.
func withRoom[T any](entries []T, c *jsonscan.Cursor, firstSize int) []T {
	const most = 4096
	guess := min(c.Remaining()/(firstSize+1), most)
	if guess <= cap(entries) {
		return entries
	}
	return append(make([]T, 0, guess+1), entries...)
}

// decodeObject walks the members of an object.
func decodeObject(raw []byte, member func(name []byte, c *jsonscan.Cursor) error) error {
	c := jsonscan.TrustedCursor(raw)
	if !c.Object() {
		return fmt.Errorf("must be an object, found %s", kindOf(raw))
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if err := member(name, &c); err != nil {
			return err
		}
	}
	return c.End()
}

// readText reads a string, which shares the bytes; "" for anything else.
func readText(c *jsonscan.Cursor) string {
	text, _ := c.SharedText()
	return text
}

// readTrue reads a boolean; anything but true is false.
func readTrue(c *jsonscan.Cursor) bool { return string(c.Value()) == "true" }

// readKept reads a value to be kept raw; nil for null.
func readKept(c *jsonscan.Cursor) json.RawMessage {
	if c.Kind() == 'n' {
		c.Value()
		return nil
	}
	return c.Value()
}

// readTexts reads an array of strings; other elements are left out.
func readTexts(c *jsonscan.Cursor) []string {
	if !c.Array() {
		c.Value()
		return nil
	}
	texts := []string{}
	for c.Element() {
		if text, ok := c.SharedText(); ok && len(texts) < maxEntries {
			texts = append(texts, text)
		}
	}
	return texts
}

// readObjects reads an object whose values are kept raw; nil for anything else.
func readObjects(c *jsonscan.Cursor) map[string]json.RawMessage {
	if !c.Object() {
		c.Value()
		return nil
	}
	members := map[string]json.RawMessage{}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		key, value := string(name), readKept(c)
		if value != nil && len(members) < maxEntries {
			members[key] = value
		}
	}
	return members
}

// readInteger reads a number, truncated; nil for anything else.
func readInteger(c *jsonscan.Cursor) *int64 {
	if c.Kind() != '0' {
		c.Value()
		return nil
	}
	n := integer(c.Value())
	return &n
}

// readFloat reads a number; nil for anything else.
func readFloat(c *jsonscan.Cursor) *float64 {
	if c.Kind() != '0' {
		c.Value()
		return nil
	}
	f, _ := strconv.ParseFloat(string(c.Value()), 64)
	return &f
}

// integer converts a JSON number: fractions are cut off, numbers beyond the
// range become its ends.
func integer(number []byte) int64 {
	if n, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(string(number), 64) // beyond its range: an infinity
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// readMilliseconds reads a duration in milliseconds. Negative numbers and
// anything that is no number are 0 (R230); too large ones become the longest
// Duration of whole milliseconds.
func readMilliseconds(c *jsonscan.Cursor) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	n := readInteger(c)
	if n == nil || *n < 0 {
		return 0
	}
	return time.Duration(min(*n, most)) * time.Millisecond
}

// unmarshal is UnmarshalJSON for the types of this package: data is copied.
func unmarshal(target aliasing, data []byte) error {
	if err := target.decode(bytes.Clone(data)); err != nil {
		return fmt.Errorf("%T: %w", target, err)
	}
	return nil
}

// decodeEntry decodes a value that is not part of a list.
func decodeEntry(target entry, raw []byte) error {
	c := jsonscan.TrustedCursor(raw)
	if problem := target.read(&c); problem != "" {
		return errors.New(problem)
	}
	return c.End()
}

// marshal is MarshalJSON for them: the bytes they came in, or, if they were
// built by hand, fields encoded.
func marshal(raw json.RawMessage, fields any) ([]byte, error) {
	if raw != nil {
		return raw, nil
	}
	return json.Marshal(fields)
}

// decodeResult decodes a result into one of the result types.
func decodeResult[T any, P interface {
	*T
	aliasing
}](r Result) (*T, error) {
	v := new(T)
	if err := r.Decode(P(v)); err != nil {
		return nil, err
	}
	return v, nil
}
