package jsonrpc

import "github.com/mcp-client-go/mcpclient/internal/jsonscan"

// A call may bring hundreds of thousands of progress reports, and most servers
// write every one of them the same way. ScanReport reads that way in one pass: it
// compares what stands between the values with what is expected. It accepts less
// than Scan and mcp.Message.Progress do, and what it accepts it reads as they would
// (FuzzScanReport): whoever gets false from it asks them.

// Report is a progress report that ScanReport has read.
type Report struct {
	Token    uint64
	Progress float64
	Total    float64 // 0 where absent
	Message  []byte  // aliases the text
}

// The two orders of members that JSON-RPC libraries write.
const (
	versionFirst = `{"jsonrpc":"2.0","method":"notifications/progress","params":{`
	methodFirst  = `{"method":"notifications/progress","params":{`
	versionLast  = `},"jsonrpc":"2.0"}`
)

// ScanReport reads a progress report that has its members in one of the usual
// orders, no white space, no escape, no _meta, and numbers of at most 15 digits
// without sign or exponent. It returns false for all other texts, valid or not.
func ScanReport(data []byte) (report Report, ok bool) {
	var pos int
	tail := "}}"
	switch {
	case hasAt(data, 0, versionFirst):
		pos = len(versionFirst)
	case hasAt(data, 0, methodFirst):
		pos, tail = len(methodFirst), versionLast
	default:
		return Report{}, false
	}
	var seen reportMembers
	for {
		member, from := reportMember(data, pos)
		if member == 0 || seen&member != 0 {
			return Report{}, false
		}
		seen |= member
		if pos, ok = report.take(member, data, from); !ok || pos >= len(data) {
			return Report{}, false
		}
		if data[pos] != ',' {
			break
		}
		pos++
	}
	const needed = hasToken | hasProgress
	if string(data[pos:]) != tail || seen&needed != needed {
		return Report{}, false
	}
	return report, true
}

// reportMembers is the set of members of a report's params.
type reportMembers uint8

const (
	hasToken reportMembers = 1 << iota
	hasProgress
	hasTotal
	hasMessage
)

// reportMember reads a member's name and colon, and returns where its value
// begins; 0 for a name that is none of a report's.
func reportMember(data []byte, pos int) (member reportMembers, value int) {
	const token, progress, total, message = `"progressToken":`, `"progress":`, `"total":`, `"message":`
	switch {
	case hasAt(data, pos, progress):
		return hasProgress, pos + len(progress)
	case hasAt(data, pos, total):
		return hasTotal, pos + len(total)
	case hasAt(data, pos, message):
		return hasMessage, pos + len(message)
	case hasAt(data, pos, token):
		return hasToken, pos + len(token)
	default:
		return 0, 0
	}
}

func hasAt(data []byte, pos int, text string) bool {
	return len(data)-pos >= len(text) && string(data[pos:pos+len(text)]) == text
}

// take reads the member's value at data[pos] and returns the offset behind it.
func (r *Report) take(member reportMembers, data []byte, pos int) (end int, ok bool) {
	switch member {
	case hasToken:
		r.Token, end, ok = plainToken(data, pos)
	case hasProgress:
		r.Progress, end, ok = plainNumber(data, pos)
	case hasTotal:
		r.Total, end, ok = plainNumber(data, pos)
	case hasMessage:
		if end, ok = jsonscan.PlainText(data, pos); ok {
			r.Message = data[pos+1 : end-1 : end-1]
		}
	}
	return end, ok
}

// plainToken reads a number, or digits within quotes (P19).
func plainToken(data []byte, pos int) (token uint64, end int, ok bool) {
	quoted := pos < len(data) && data[pos] == '"'
	if quoted {
		pos++
	}
	token, end = plainDigits(data, pos, 0)
	if !isPlain(data, pos, end) {
		return 0, 0, false
	}
	if quoted {
		if end >= len(data) || data[end] != '"' {
			return 0, 0, false
		}
		end++
	}
	return token, end, true
}

// mostDigits is how many always fit into a float64 exactly.
const mostDigits = 15

// isPlain reports whether data[from:to] is a positive integer as JSON writes it,
// and not too long.
func isPlain(data []byte, from, to int) bool {
	return to > from && to-from <= mostDigits && (data[from] != '0' || to == from+1)
}

// plainDigits reads digits on top of n. More than mostDigits may overflow.
func plainDigits(data []byte, pos int, n uint64) (value uint64, end int) {
	for ; pos < len(data); pos++ {
		digit := data[pos] - '0'
		if digit > 9 {
			break
		}
		n = n*10 + uint64(digit)
	}
	return n, pos
}

// plainNumber reads a number without sign and exponent. Its digits and the power
// of ten are exact, so that their quotient is what strconv makes of the text.
func plainNumber(data []byte, pos int) (value float64, end int, ok bool) {
	n, end := plainDigits(data, pos, 0)
	if !isPlain(data, pos, end) {
		return 0, 0, false
	}
	if end >= len(data) || data[end] != '.' {
		return float64(n), end, true
	}
	point := end
	n, end = plainDigits(data, point+1, n)
	if decimals := end - point - 1; decimals > 0 && end-pos-1 <= mostDigits {
		return float64(n) / powersOfTen[decimals], end, true
	}
	return 0, 0, false
}

var powersOfTen = [mostDigits + 1]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
