package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// ID is a JSON-RPC request id, or a progress token or subscription id, as it
// stood on the wire: the raw bytes of a JSON string or number, `null`, or nil
// where there was none. Keeping the bytes keeps ids beyond 2^53 exact and keeps
// 1 and "1" apart (R003, P12).
type ID json.RawMessage

// NumberID returns the id written as a JSON number.
func NumberID(n uint64) ID { return strconv.AppendUint(nil, n, 10) }

// StringID returns the id written as a JSON string.
func StringID(s string) ID {
	raw, _ := json.Marshal(s) // a string always encodes
	return raw
}

// IsZero reports whether there was no id at all.
func (id ID) IsZero() bool { return len(id) == 0 }

// IsNull reports whether the id is JSON null.
func (id ID) IsNull() bool { return string(id) == "null" }

// IsString reports whether the id is a JSON string.
func (id ID) IsString() bool { return len(id) > 0 && id[0] == '"' }

// Equal reports whether both ids have the same type and value, comparing bytes.
func (id ID) Equal(other ID) bool { return bytes.Equal(id, other) }

// Uint64 returns the id's value if it is a non-negative integer: some servers
// echo 7 as "7" or the reverse (P19), and some, whose JSON has only
// floating-point numbers, as 7.0 or 7e0. Such a number counts if its value is
// exactly an integer; within a string only plain digits do.
func (id ID) Uint64() (uint64, bool) {
	digits := []byte(id)
	quoted := len(digits) >= 2 && digits[0] == '"' && digits[len(digits)-1] == '"'
	if quoted {
		digits = digits[1 : len(digits)-1]
	}
	if n, ok := plainInteger(digits); ok || quoted {
		return n, ok
	}
	return decimalInteger(digits)
}

// plainInteger reads digits, without leading zeros.
func plainInteger(digits []byte) (uint64, bool) {
	if len(digits) == 0 || len(digits) > 20 || (digits[0] == '0' && len(digits) > 1) {
		return 0, false
	}
	var n uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := uint64(c - '0')
		if n > (1<<64-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}

// decimalInteger reads a JSON number with a fraction or an exponent, exactly.
func decimalInteger(number []byte) (uint64, bool) {
	const longest = 64 // of what any library writes for a 64-bit value
	if len(number) > longest {
		return 0, false
	}
	mantissa, exponent, found := bytes.Cut(bytes.ToLower(number), []byte("e"))
	shift := 0
	if found {
		var err error
		if shift, err = strconv.Atoi(string(exponent)); err != nil || shift < -longest || shift > longest {
			return 0, false
		}
	}
	whole, fraction, hasPoint := bytes.Cut(mantissa, []byte("."))
	if len(whole) == 0 || (hasPoint && len(fraction) == 0) || (whole[0] == '0' && len(whole) > 1) {
		return 0, false
	}
	digits := bytes.TrimLeft(append(bytes.Clone(whole), fraction...), "0")
	if len(digits) == 0 {
		return 0, true
	}
	for shift -= len(fraction); shift < 0 && digits[len(digits)-1] == '0'; shift++ {
		digits = digits[:len(digits)-1]
	}
	if shift < 0 {
		return 0, false
	}
	return plainInteger(append(digits, bytes.Repeat([]byte("0"), shift)...))
}

// String returns the id as written, quotes included; "" if there is none.
func (id ID) String() string { return string(id) }

// MarshalJSON writes the raw id; an absent one as null.
func (id ID) MarshalJSON() ([]byte, error) {
	if len(id) == 0 {
		return []byte("null"), nil
	}
	return id, nil
}

// UnmarshalJSON keeps a copy of the raw bytes.
func (id *ID) UnmarshalJSON(data []byte) error {
	*id = append((*id)[:0:0], data...)
	return nil
}
