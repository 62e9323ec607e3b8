package redact

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text with escapes taken off, and where each byte came from.
type view struct {
	text   []byte
	pieces []piece // in order; none if the view is the text itself
}

// piece is a run of a view: bytes that came over as they were, or one character
// that was an escape.
type piece struct {
	at       int // offset in the view
	from, to int // offsets in the text
	escape   bool
}

// longestEscape is the most bytes that one byte takes up when it is escaped.
const longestEscape = len(`\u0041`)

func viewOf(text []byte) view { return view{text: text} }

// source returns the part of the text that view.text[start:end] came from, whole
// escapes only. The part must not be empty.
func (v view) source(start, end int) span {
	if v.pieces == nil {
		return span{start, end}
	}
	first, last := v.pieces[v.pieceIndex(start)], v.pieces[v.pieceIndex(end-1)]
	out := span{first.from, last.to}
	if !first.escape {
		out.start += start - first.at
	}
	if !last.escape {
		out.end = last.from + end - last.at
	}
	return out
}

// pieceIndex finds the piece that has the byte at offset of the view.
func (v view) pieceIndex(offset int) int {
	index, exact := slices.BinarySearchFunc(v.pieces, offset, func(p piece, offset int) int { return p.at - offset })
	if !exact {
		index--
	}
	return index
}

// pieceEnd is the offset in the view behind a piece.
func (v view) pieceEnd(index int) int {
	if index+1 < len(v.pieces) {
		return v.pieces[index+1].at
	}
	return len(v.text)
}

// unescaped takes off one layer of the escapes of JSON, and of \x41.
func unescaped(v view) view { return v.without('\\', backslashEscape) }

// unpercented takes off one layer of the escapes of URLs.
func unpercented(v view) view { return v.without('%', percentEscape) }

// without returns the view with the escapes decoded that begin with mark, or v
// itself if it has none. decode appends what an escape stands for, and returns
// how many bytes it has; 0 if it is none.
func (v view) without(mark byte, decode func(dst, escape []byte) ([]byte, int)) view {
	if bytes.IndexByte(v.text, mark) < 0 {
		return v
	}
	out := view{text: make([]byte, 0, len(v.text))}
	for done := 0; done < len(v.text); {
		plain := bytes.IndexByte(v.text[done:], mark)
		if plain < 0 {
			plain = len(v.text) - done
		}
		out.copy(v, done, done+plain)
		if done += plain; done == len(v.text) {
			break
		}
		at := len(out.text)
		decoded, size := decode(out.text, v.text[done:])
		if size == 0 {
			out.copy(v, done, done+1)
			done++
			continue
		}
		from := v.source(done, done+size)
		out.text = decoded
		out.pieces = append(out.pieces, piece{at: at, from: from.start, to: from.end, escape: true})
		done += size
	}
	return out
}

// copy takes v.text[start:end] over, with where it came from.
func (v *view) copy(from view, start, end int) {
	if start == end {
		return
	}
	at := len(v.text)
	v.text = append(v.text, from.text[start:end]...)
	if from.pieces == nil {
		v.pieces = append(v.pieces, piece{at: at, from: start, to: end})
		return
	}
	for start < end {
		index := from.pieceIndex(start)
		stop := min(end, from.pieceEnd(index))
		source := from.source(start, stop)
		v.pieces = append(v.pieces, piece{at: at, from: source.start, to: source.end, escape: from.pieces[index].escape})
		at += stop - start
		start = stop
	}
}

// backslashEscape decodes \n, \/, \x41, \u0041 and the like.
func backslashEscape(dst, escape []byte) ([]byte, int) {
	if len(escape) < 2 {
		return dst, 0
	}
	switch c := escape[1]; c {
	case '"', '\\', '/', '\'':
		return append(dst, c), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'x':
		if code, ok := hexadecimal(escape, 2, 2); ok {
			return append(dst, byte(code)), 4
		}
	case 'u':
		return unicodeEscape(dst, escape)
	}
	return dst, 0
}

// unicodeEscape decodes \u0041, and two of them that are a surrogate pair.
func unicodeEscape(dst, escape []byte) ([]byte, int) {
	first, ok := hexadecimal(escape, 2, 4)
	if !ok {
		return dst, 0
	}
	if utf16.IsSurrogate(first) && len(escape) > 7 && escape[6] == '\\' && escape[7] == 'u' {
		if second, ok := hexadecimal(escape, 8, 4); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return utf8.AppendRune(dst, r), 12
			}
		}
	}
	return utf8.AppendRune(dst, first), 6
}

// percentEscape decodes %41.
func percentEscape(dst, escape []byte) ([]byte, int) {
	code, ok := hexadecimal(escape, 1, 2)
	if !ok {
		return dst, 0
	}
	return append(dst, byte(code)), 3
}

func hexadecimal(text []byte, start, length int) (rune, bool) {
	if len(text) < start+length || text[start] == '+' || text[start] == '-' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(text[start:start+length]), 16, 32)
	return rune(code), err == nil
}
