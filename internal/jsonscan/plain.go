package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// PlainText validates a string without escapes whose opening quote is data[pos],
// and returns the offset behind its closing quote. It returns false for anything
// else, for which the general scanner is to be asked.
func PlainText(data []byte, pos int) (end int, ok bool) {
	if pos < 0 || pos >= len(data) || data[pos] != '"' {
		return 0, false
	}
	start := pos + 1
	var beyondASCII uint64
	for pos = start; ; {
		if pos+8 > len(data) {
			break
		}
		word := binary.LittleEndian.Uint64(data[pos:])
		if marks := special(word); marks != 0 {
			before := bits.TrailingZeros64(marks) &^ 7
			beyondASCII |= word & (1<<before - 1) & highBits
			pos += before / 8
			break
		}
		beyondASCII |= word & highBits
		pos += 8
	}
	for ; pos < len(data) && data[pos] != '"'; pos++ {
		if data[pos] == '\\' || data[pos] < ' ' {
			return 0, false
		}
		beyondASCII |= uint64(data[pos]) & 0x80
	}
	if pos == len(data) || beyondASCII != 0 && malformed(data[start:pos]) >= 0 {
		return 0, false
	}
	return pos + 1, true
}
