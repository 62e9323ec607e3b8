package jsonscan

// PlainText validates a string without escapes whose opening quote is data[pos],
// and returns the offset behind its closing quote. It returns false for anything
// else, for which the general scanner is to be asked.
func PlainText(data []byte, pos int) (end int, ok bool) {
	if pos < 0 || pos >= len(data) || data[pos] != '"' {
		return 0, false
	}
	end, beyondASCII := plain(data, pos+1)
	if end >= len(data) || data[end] != '"' || beyondASCII != 0 && malformed(data[pos+1:end]) >= 0 {
		return 0, false
	}
	return end + 1, true
}
