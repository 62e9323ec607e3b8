package jsonscan

// Span is where a string value stands in a text, quotes included: data[From:To].
// The one long string that most large texts have is noticed when the text is
// validated, so that those who read it later need not look for its end again.
// The zero Span stands for none.
type Span struct{ From, To int }

// leastSpan is how long a string must be to be worth remembering.
const leastSpan = 1 << 10

// offer takes the string at data[from:to] if it is longer.
func (s *Span) offer(from, to int) {
	if to-from >= leastSpan && to-from > s.To-s.From {
		*s = Span{from, to}
	}
}

// Within returns the span as it is for data[from:to]: moved, or zero if it does
// not lie in there.
func (s Span) Within(from, to int) Span {
	if s.To == 0 || s.From < from || s.To > to {
		return Span{}
	}
	return Span{s.From - from, s.To - from}
}

// endsTextIn reports whether trusting the span stays within data.
func (s Span) endsTextIn(data []byte) bool {
	return 0 <= s.From && s.From+1 < s.To && s.To <= len(data) && data[s.From] == '"' && data[s.To-1] == '"'
}
