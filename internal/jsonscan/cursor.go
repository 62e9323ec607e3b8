package jsonscan

// Cursor walks one JSON text from front to back in a single pass. After the
// first error every method returns its zero answer and Err tells the error, so
// that a walk is checked once, at its end:
//
//	c := NewCursor(data)
//	if c.Object() {
//		for name, ok := c.Member(); ok; name, ok = c.Member() {
//			switch string(name) {
//			case "id":
//				id = c.Value()
//			default:
//				c.Value()
//			}
//		}
//	}
//	err := c.End()
//
// Every member's and element's value must be consumed: by Value, Text, or
// Object and Array with their iteration to the end. A Cursor is not safe for
// concurrent use. Copying one saves the position.
type Cursor struct {
	data    []byte
	pos     int
	depth   int
	first   bool // directly behind an opening bracket
	trusted bool
	bad     fault
	longest Span
}

// NewCursor returns a cursor that validates all it passes.
func NewCursor(data []byte) Cursor { return Cursor{data: data, pos: SkipSpace(data, 0)} }

// TrustedCursor returns a cursor for a text that was validated before. It still
// notices a wrong kind of value, but not what is wrong inside skipped values.
func TrustedCursor(data []byte) Cursor {
	return Cursor{data: data, pos: SkipSpace(data, 0), trusted: true}
}

// TrustedCursorAround is TrustedCursor for a text of which one long value is
// known: Value passes over it without looking inside. A Span that does not end a
// value within the text is ignored.
func TrustedCursorAround(data []byte, long Span) Cursor {
	c := TrustedCursor(data)
	if long.endsValueIn(data) {
		c.longest = long
	}
	return c
}

// Longest returns where the longest string value of those that were passed
// stands, if it is long enough to be worth knowing; else the zero Span. A
// trusting cursor returns what it was given.
func (c *Cursor) Longest() Span { return c.longest }

// Kind returns the first byte of the value that comes next: one of { [ " t f n,
// or '0' for any number; 0 at the end, at a closing bracket or after an error.
func (c *Cursor) Kind() byte {
	if c.bad != faultNone || c.pos >= len(c.data) {
		return 0
	}
	switch b := c.data[c.pos]; b {
	case '{', '[', '"', 't', 'f', 'n':
		return b
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	default:
		return 0
	}
}

// KindName names for people what Kind returns; "" for 0.
func KindName(kind byte) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	case '0':
		return "a number"
	default:
		return ""
	}
}

// Pos returns the offset of what comes next: the value's first byte before it
// is consumed, the offset behind it afterwards.
func (c *Cursor) Pos() int { return c.pos }

// Remaining returns how many bytes come behind Pos.
func (c *Cursor) Remaining() int { return len(c.data) - c.pos }

// Slice returns the bytes from offset from up to Pos.
func (c *Cursor) Slice(from int) []byte { return c.data[from:c.pos:c.pos] }

// Err returns the first error, an *Error, or nil.
func (c *Cursor) Err() error { return c.bad.at(c.pos) }

// End returns the first error, or one that says that more than white space
// follows, or nil.
func (c *Cursor) End() error {
	if c.bad == faultNone {
		if c.pos = skip(c.data, c.pos); c.pos < len(c.data) {
			c.bad = faultTrailing
		}
	}
	return c.Err()
}

// Value consumes the next value, whatever it is, and returns its bytes, which
// alias the text.
func (c *Cursor) Value() []byte {
	if c.bad != faultNone {
		return nil
	}
	start := c.pos
	if c.trusted {
		if start >= len(c.data) {
			c.bad = faultEnd
			return nil
		}
		if c.pos = skipValue(c.data, start, c.longest); c.pos == start {
			c.bad = faultValue
			return nil
		}
	} else if c.pos, c.bad = value(c.data, start, MaxDepth-c.depth, &c.longest); c.bad != faultNone {
		return nil
	}
	c.first = false
	return c.Slice(start)
}

// Text consumes the next value and returns it decoded if it is a string. For a
// value of another kind it returns "" and false.
func (c *Cursor) Text() (string, bool) { return String(c.rawText()) }

// SharedText is Text without a copy: a string without escapes shares the bytes
// of the text, which must therefore never change again. It suits types that keep
// the text anyway.
func (c *Cursor) SharedText() (string, bool) { return SharedString(c.rawText()) }

// rawText consumes the next value and returns its bytes if it is a string.
func (c *Cursor) rawText() []byte {
	kind, raw := c.Kind(), c.Value()
	if kind != '"' {
		return nil
	}
	return raw
}

// Object enters the next value if it is an object. Otherwise it leaves it
// unconsumed and returns false, without an error.
func (c *Cursor) Object() bool { return c.enter('{') }

// Array enters the next value if it is an array. Otherwise it leaves it
// unconsumed and returns false, without an error.
func (c *Cursor) Array() bool { return c.enter('[') }

func (c *Cursor) enter(bracket byte) bool {
	if c.bad != faultNone || c.pos >= len(c.data) || c.data[c.pos] != bracket {
		return false
	}
	if c.depth >= MaxDepth {
		c.bad = faultDepth
		return false
	}
	c.depth++
	c.first = true
	c.pos = skip(c.data, c.pos+1)
	return true
}

// Member moves to the next member of the object that was entered and returns
// its name, decoded: a slice of the text, or fresh memory if the name has
// escapes. It returns false behind the last one, having left the object, and
// after an error.
func (c *Cursor) Member() (name []byte, ok bool) {
	if !c.more('}') {
		return nil, false
	}
	if c.pos >= len(c.data) || c.data[c.pos] != '"' {
		c.bad = faultKey
		return nil, false
	}
	start := c.pos
	if c.trusted {
		c.pos = skipText(c.data, start)
	} else if c.pos, c.bad = text(c.data, start); c.bad != faultNone {
		return nil, false
	}
	name = c.data[start:c.pos]
	if c.pos = skip(c.data, c.pos); c.pos >= len(c.data) {
		c.bad = faultEnd
		return nil, false
	}
	if c.data[c.pos] != ':' {
		c.bad = faultColon
		return nil, false
	}
	c.pos = skip(c.data, c.pos+1)
	return decodedName(name), true
}

// Element moves to the next element of the array that was entered. It returns
// false behind the last one, having left the array, and after an error.
func (c *Cursor) Element() bool { return c.more(']') }

// more passes the comma, if there is one due, or the closing bracket.
func (c *Cursor) more(bracket byte) bool {
	if c.bad != faultNone {
		return false
	}
	if c.pos = skip(c.data, c.pos); c.pos >= len(c.data) {
		c.bad = faultEnd
		return false
	}
	switch {
	case c.data[c.pos] == bracket:
		c.pos++
		c.depth--
		c.first = false
		return false
	case c.first:
		c.first = false
		return true
	case c.data[c.pos] != ',':
		c.bad = faultComma
		return false
	}
	c.pos = skip(c.data, c.pos+1)
	return true
}

// Members validates object and calls visit for each member in order, with the
// decoded name (see Cursor.Member) and the raw value. It stops at the first
// error, its own (an *Error) or visit's.
func Members(object []byte, visit func(name, value []byte) error) error {
	c := NewCursor(object)
	if !c.Object() {
		return c.unexpected()
	}
	for {
		name, ok := c.Member()
		if !ok {
			return c.End()
		}
		value := c.Value()
		if c.bad != faultNone {
			return c.Err()
		}
		if err := visit(name, value); err != nil {
			return err
		}
	}
}

func (c *Cursor) unexpected() error {
	if c.bad == faultNone {
		c.bad = faultKind
	}
	return c.Err()
}
