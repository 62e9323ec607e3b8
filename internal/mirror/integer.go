package mirror

import (
	"bytes"
	"strconv"
)

// largestInteger is 2^53-1: up to there every reader of JSON has the same
// integer (R083, P73).
const largestInteger = 1<<53 - 1

// decimal is a JSON number as 0.DIGITS * 10^point. The digits have no zeros at
// either end; none at all is zero.
type decimal struct {
	negative bool
	digits   []byte
	point    int64
}

// isInteger reports whether raw is a JSON number without a fraction, of any
// size.
func isInteger(raw []byte) bool {
	d, ok := parseDecimal(raw)
	return ok && d.point >= int64(len(d.digits))
}

// integer writes a JSON number as plain decimal digits. It returns false if raw
// is no number, has a fraction, or lies beyond largestInteger.
func integer(raw []byte) (string, bool) {
	const mostDigits = 16 // of largestInteger
	d, ok := parseDecimal(raw)
	if !ok || d.point < int64(len(d.digits)) || d.point > mostDigits {
		return "", false
	}
	if len(d.digits) == 0 {
		return "0", true
	}
	zeros := int(d.point) - len(d.digits)
	n, err := strconv.ParseInt(string(d.digits)+"0000000000000000"[:zeros], 10, 64)
	if err != nil || n > largestInteger {
		return "", false
	}
	if d.negative {
		n = -n
	}
	return strconv.FormatInt(n, 10), true
}

// parseDecimal reads a number whose syntax was checked. An exponent is bounded
// where no number of digits could make up for it.
func parseDecimal(raw []byte) (d decimal, ok bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return d, false
	}
	mantissa, negative := bytes.CutPrefix(raw, []byte("-"))
	d.negative = negative
	var exponent int64
	if at := bytes.IndexAny(mantissa, "eE"); at >= 0 {
		exponent = parseExponent(mantissa[at+1:])
		mantissa = mantissa[:at]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	d.digits = append(append(make([]byte, 0, len(mantissa)), whole...), fraction...)
	d.point = int64(len(whole)) + exponent
	d.digits = bytes.TrimRight(d.digits, "0")
	significant := bytes.TrimLeft(d.digits, "0")
	d.point -= int64(len(d.digits) - len(significant))
	d.digits = significant
	if len(significant) == 0 {
		d.point = 0
	}
	return d, true
}

func parseExponent(text []byte) int64 {
	const beyond = 1 << 40
	exponent, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case err == nil:
		return max(-beyond, min(exponent, beyond))
	case len(text) > 0 && text[0] == '-':
		return -beyond
	default:
		return beyond
	}
}
