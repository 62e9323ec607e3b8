// Package jsonscan reads JSON without building values: it validates, finds and
// iterates on the bytes themselves and, escaped member names apart, allocates
// nothing.
//
// Bytes are validated once, where they enter the process (Value, Valid, Check,
// Members, NewCursor). What passed may afterwards be walked by the
// trusting half (Find, Skip, TrustedCursor), which only looks for quotes and
// brackets and is several times faster on long strings. On bytes that were not
// validated the trusting half may answer nonsense, but it stays within the
// slice and ends.
package jsonscan

// MaxDepth is how many objects and arrays may be open at once.
const MaxDepth = 512

// SkipSpace returns the offset of the first byte at or after pos that is not
// JSON white space, or len(data).
func SkipSpace(data []byte, pos int) int {
	for pos < len(data) {
		switch data[pos] {
		case ' ', '\t', '\n', '\r':
			pos++
		default:
			return pos
		}
	}
	return pos
}

// Value validates the one value that starts at data[pos] and returns the offset
// behind it. White space before it is not skipped. The error is an *Error.
func Value(data []byte, pos int) (end int, err error) {
	end, bad := value(data, pos, MaxDepth, &Span{})
	if bad != faultNone {
		return end, bad.at(end)
	}
	return end, nil
}

// Check validates that data is one JSON value with nothing but white space
// around it. The error is an *Error.
func Check(data []byte) error {
	end, bad := value(data, SkipSpace(data, 0), MaxDepth, &Span{})
	if bad != faultNone {
		return bad.at(end)
	}
	if end = SkipSpace(data, end); end < len(data) {
		return faultTrailing.at(end)
	}
	return nil
}

// Valid reports whether Check finds nothing wrong.
func Valid(data []byte) bool { return Check(data) == nil }

// nesting remembers for each open bracket whether it is an object's: one bit
// each, so that the scanner needs neither recursion nor the heap.
type nesting struct {
	objects [MaxDepth / 64]uint64
	depth   int
}

func (n *nesting) push(object bool) {
	word, bit := uint(n.depth)/64%uint(len(n.objects)), uint64(1)<<(uint(n.depth)%64)
	if object {
		n.objects[word] |= bit
	} else {
		n.objects[word] &^= bit
	}
	n.depth++
}

func (n *nesting) pop() { n.depth-- }

func (n *nesting) inObject() bool {
	top := uint(n.depth - 1)
	return n.objects[top/64%uint(len(n.objects))]>>(top%64)&1 == 1
}

// value is the scanner: at a fault the offset is where it was noticed. At most
// room brackets may be open at once. A string value that is longer than longest
// takes its place.
func value(data []byte, pos, room int, longest *Span) (int, fault) {
	var open nesting
	var bad fault
	for {
		// Here a value must begin.
		if pos >= len(data) {
			return pos, faultEnd
		}
		switch c := data[pos]; c {
		case '"':
			start := pos
			pos, bad = text(data, pos)
			longest.Offer(start, pos)
		case '{', '[':
			if open.depth >= room {
				return pos, faultDepth
			}
			open.push(c == '{')
			if pos = skip(data, pos+1); pos >= len(data) {
				return pos, faultEnd
			}
			if data[pos] == c+2 { // the closing bracket is two further on in ASCII
				open.pop()
				pos++
				break
			}
			if c == '{' {
				if pos, bad = name(data, pos); bad != faultNone {
					return pos, bad
				}
			}
			continue
		case 't':
			pos, bad = literal(data, pos, "true")
		case 'f':
			pos, bad = literal(data, pos, "false")
		case 'n':
			pos, bad = literal(data, pos, "null")
		default:
			pos, bad = number(data, pos)
		}
		if bad != faultNone {
			return pos, bad
		}
		// Behind a value: close brackets until a comma asks for another one.
		for {
			if open.depth == 0 {
				return pos, faultNone
			}
			if pos = skip(data, pos); pos >= len(data) {
				return pos, faultEnd
			}
			object := open.inObject()
			c := data[pos]
			if c == ',' {
				if pos = skip(data, pos+1); object {
					if pos, bad = name(data, pos); bad != faultNone {
						return pos, bad
					}
				}
				break
			}
			if object && c != '}' || !object && c != ']' {
				return pos, faultComma
			}
			open.pop()
			pos++
		}
	}
}

// skip is SkipSpace, small enough to be inlined where there mostly is none.
func skip(data []byte, pos int) int {
	if pos < len(data) && data[pos] <= ' ' {
		return SkipSpace(data, pos)
	}
	return pos
}

// name passes a member's name and colon, up to its value.
func name(data []byte, pos int) (int, fault) {
	if pos >= len(data) {
		return pos, faultEnd
	}
	if data[pos] != '"' {
		return pos, faultKey
	}
	pos, bad := text(data, pos)
	if bad != faultNone {
		return pos, bad
	}
	if pos = skip(data, pos); pos >= len(data) {
		return pos, faultEnd
	}
	if data[pos] != ':' {
		return pos, faultColon
	}
	return skip(data, pos+1), faultNone
}
