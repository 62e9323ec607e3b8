package jsonscan

// Span is where a value stands in a text: data[From:To]. The one value that most
// of a large text consists of, a long string or a list, is noticed when the text
// is validated, so that those who read it later need not look for its end again.
// The zero Span stands for none.
type Span struct{ From, To int }

// leastSpan is how long a value must be to be worth remembering.
const leastSpan = 1 << 10

// Offer takes the value at data[from:to] if it is longer, and not too short to be
// worth it.
func (s *Span) Offer(from, to int) {
	if to-from >= leastSpan && to-from > s.Len() {
		*s = Span{from, to}
	}
}

// Len returns the value's length in bytes.
func (s Span) Len() int { return s.To - s.From }

// Within returns the span as it is for data[from:to]: moved, or zero if it does
// not lie in there.
func (s Span) Within(from, to int) Span {
	if s.To == 0 || s.From < from || s.To > to {
		return Span{}
	}
	return Span{s.From - from, s.To - from}
}

// endsValueIn reports whether trusting the span stays within data, and on whole
// values.
func (s Span) endsValueIn(data []byte) bool {
	if s.From < 0 || s.From+1 >= s.To || s.To > len(data) {
		return false
	}
	first, last := data[s.From], data[s.To-1]
	return first == '"' && last == '"' || first == '{' && last == '}' || first == '[' && last == ']'
}
