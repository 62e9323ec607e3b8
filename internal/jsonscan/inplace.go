package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A long text is decoded where it stands, and can be written back byte for byte:
// where the escapes stood is kept aside, and which they were follows from what they
// stand for, as long as only those are accepted that have no other spelling. An
// escape is kept as the number of bytes that came between it and the one before: as
// many bytes of 255 as that has 255s, and one byte with the rest.

// DecodeInPlace decodes the contents of a validated string, without its quotes,
// where they stand, and returns the length of the text and what EncodeInPlace needs
// to undo it. It returns false, with inner as it was, if there is an escape of
// another kind than a backslash and one of "\bfnrt.
func DecodeInPlace(inner []byte) (length int, gaps []byte, ok bool) {
	from := bytes.IndexByte(inner, '\\')
	if from < 0 {
		return len(inner), nil, true
	}
	gaps = make([]byte, 0, gapsRoom(inner))
	to, last := from, 0
	for from < len(inner) {
		// What stands before the next backslash is moved. As long as the two places
		// are closer than a word, bytes behind it would be lost that are to be read.
		if from+8 <= len(inner) && from-to >= 8 {
			word := binary.LittleEndian.Uint64(inner[from:])
			slash := word ^ slashes
			marks := (slash - everyByte) &^ slash & highBits
			binary.LittleEndian.PutUint64(inner[to:], word)
			if marks == 0 {
				from, to = from+8, to+8
				continue
			}
			plain := bits.TrailingZeros64(marks) / 8
			from, to = from+plain, to+plain
		} else if inner[from] != '\\' {
			plain := bytes.IndexByte(inner[from:], '\\')
			if plain < 0 {
				plain = len(inner) - from
			}
			copy(inner[to:], inner[from:from+plain])
			from, to = from+plain, to+plain
			continue
		}
		var decoded byte
		if from+1 < len(inner) {
			decoded = decodedEscape[inner[from+1]]
		}
		if decoded == 0 {
			EncodeInPlace(inner[:from], to, gaps)
			return 0, nil, false
		}
		inner[to] = decoded
		if gap := from - last; gap < manyBytes {
			gaps = append(gaps, byte(gap))
		} else {
			gaps = appendLongGap(gaps, gap)
		}
		from, to = from+2, to+1
		last = from
	}
	return to, gaps, true
}

// EncodeInPlace undoes DecodeInPlace: inner begins with the text of the given
// length, and is the whole string afterwards.
func EncodeInPlace(inner []byte, length int, gaps []byte) {
	plain := length
	for _, gap := range gaps {
		plain -= int(gap)
		if gap < manyBytes {
			plain-- // the escape's own
		}
	}
	// From the end on, since the string is longer than the text. Plain is how many
	// bytes stand between this place and the escape before it.
	from, to := length, len(inner)
	for at := len(gaps); at > 0; {
		copy(inner[to-plain:to], inner[from-plain:from])
		from, to = from-plain-1, to-plain-2
		inner[to], inner[to+1] = '\\', encodedEscape[inner[from]]
		at--
		for plain = int(gaps[at]); at > 0 && gaps[at-1] == manyBytes; at-- {
			plain += manyBytes
		}
	}
}

// manyBytes is a byte of a gap that is not its last.
const manyBytes = 255

func appendLongGap(gaps []byte, gap int) []byte {
	for ; gap >= manyBytes; gap -= manyBytes {
		gaps = append(gaps, manyBytes)
	}
	return append(gaps, byte(gap))
}

// gapsRoom guesses from the beginning of a string how much room its gaps take.
func gapsRoom(inner []byte) int {
	const sample = 4 << 10
	seen := min(len(inner), sample)
	escapes := bytes.Count(inner[:seen], []byte{'\\'})
	guess := int(int64(len(inner)) * int64(escapes+escapes/16) / int64(seen))
	return min(guess, len(inner)/8) + len(inner)/manyBytes + 16
}
