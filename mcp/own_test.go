package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// owned is a result whose bytes nobody else has, as a session hands it on.
func owned(raw string) Result {
	data := []byte(raw)
	cursor := jsonscan.NewCursor(data)
	if cursor.Object() {
		for _, ok := cursor.Member(); ok; _, ok = cursor.Member() {
			cursor.Value()
		}
	}
	return OwnedResultOf(&Message{Result: data, LongValue: cursor.Longest()})
}

// ownedResults are results with a long string here and there.
func ownedResults() map[string]string {
	long := strings.Repeat(`line \"quoted\"\n`, leastOwned/16+1)
	return map[string]string{
		"one text":         `{"content":[{"type":"text","text":"` + long + `"}],"isError":false}`,
		"one text, spaced": ` { "isError" : true , "content" : [ { "text" : "` + long + `" , "type" : "text" } ] , "_meta" : { "a" : 1 } } `,
		"other escapes":    `{"content":[{"type":"text","text":"` + long + `\u00e9` + long + `"}]}`,
		"no escapes":       `{"content":[{"type":"text","text":"` + strings.Repeat("plain ", leastOwned) + `"}]}`,
		"two texts":        `{"content":[{"type":"text","text":"short"},{"type":"text","text":"` + long + `"}]}`,
		"beside an image":  `{"content":[{"type":"image","data":"AAAA"},{"type":"text","text":"` + long + `"}]}`,
		"an image":         `{"content":[{"type":"text","text":"a\n"},{"type":"image","data":"` + long + `"}]}`,
		"structured":       `{"structuredContent":{"a":"` + long + `"},"content":[{"type":"text","text":"a\n"}]}`,
		"meta":             `{"_meta":{"a":"` + long + `"},"content":[{"type":"text","text":"a\n"}],"resultType":"complete"}`,
		"content twice":    `{"content":[{"type":"text","text":"` + long + `"}],"content":[{"type":"text","text":"b\n"}]}`,
		"text twice":       `{"content":[{"type":"text","text":"` + long + `","text":"b\n"}]}`,
		"text last":        `{"content":[{"type":"text","text":"b\n","text":"` + long + `"}]}`,
		"no content":       `{"x":"` + long + `"}`,
	}
}

// Whatever is asked for first, an owned result answers as one that is not, and what
// it gave before stays as it was.
func TestOwnedResults(t *testing.T) {
	for name, raw := range ownedResults() {
		t.Run(name, func(t *testing.T) {
			plain := NewResult([]byte(raw))
			want, err := ParseCallToolResult(plain)
			require.NoError(t, err)
			readers := ownedReaders(t, plain, want)
			for first := range readers {
				for second := range readers {
					result := owned(raw)
					got, err := ParseCallToolResult(result)
					require.NoError(t, err)
					early, text := result.Raw, got.Text
					check := readers[first](result, got)
					readers[second](result, got)()
					check()
					require.Equal(t, want.Text(), text())
					require.Equal(t, raw, string(early()))
				}
			}
		})
	}
}

// ownedReaders ask for something, and return how to check it at any later time.
func ownedReaders(t *testing.T, plain Result, want *CallToolResult) map[string]func(Result, *CallToolResult) func() {
	blocks := slices.Collect(want.Content())
	return map[string]func(Result, *CallToolResult) func(){
		"text": func(_ Result, r *CallToolResult) func() {
			text := r.Text()
			return func() { require.Equal(t, want.Text(), text) }
		},
		"raw": func(_ Result, r *CallToolResult) func() {
			raw := r.Raw()
			return func() { require.Equal(t, string(plain.Raw()), string(raw)) }
		},
		"content": func(_ Result, r *CallToolResult) func() {
			got := slices.Collect(r.Content())
			return func() { require.Equal(t, blocks, got) }
		},
		"members": func(result Result, r *CallToolResult) func() {
			structured, _ := r.Structured()
			meta, resultMeta, kind, isError := r.Meta(), result.Meta(), result.Type(), r.IsError
			return func() {
				wanted, _ := want.Structured()
				require.Equal(t, wanted, structured)
				require.Equal(t, want.Meta(), meta)
				require.Equal(t, plain.Meta(), resultMeta)
				require.Equal(t, plain.Type(), kind)
				require.Equal(t, want.IsError, isError)
			}
		},
		"decode": func(result Result, r *CallToolResult) func() {
			var got, wanted any
			require.NoError(t, result.Decode(&got))
			require.NoError(t, plain.Decode(&wanted))
			encoded, err := json.Marshal(r)
			require.NoError(t, err)
			again, err := ParseCallToolResult(result)
			require.NoError(t, err)
			return func() {
				require.Equal(t, wanted, got)
				require.JSONEq(t, string(plain.Raw()), string(encoded))
				require.Equal(t, want.Text(), again.Text())
			}
		},
	}
}

// The text of a large result is decoded in its place: that is what owning is for.
func TestOwnedTextIsNotCopied(t *testing.T) {
	result := owned(string(largeResult()))
	parsed, err := ParseCallToolResult(result)
	require.NoError(t, err)
	from := uintptr(unsafe.Pointer(unsafe.SliceData(parsed.raw)))
	at := uintptr(unsafe.Pointer(unsafe.StringData(parsed.Text()))) - from
	require.Less(t, at, uintptr(len(parsed.raw)))

	given := owned(string(largeResult()))
	require.NotNil(t, given.Raw())
	parsed, err = ParseCallToolResult(given)
	require.NoError(t, err)
	from = uintptr(unsafe.Pointer(unsafe.SliceData(parsed.raw)))
	at = uintptr(unsafe.Pointer(unsafe.StringData(parsed.Text()))) - from
	require.GreaterOrEqual(t, at, uintptr(len(parsed.raw)), "the bytes were given away before")
}

// What cannot be decoded in its place is found out once, not for each who asks.
func TestOwnedTextThatStaysIsNotTriedAgain(t *testing.T) {
	result, err := ParseCallToolResult(owned(ownedResults()["other escapes"]))
	require.NoError(t, err)
	text := result.Text()
	require.True(t, result.own.stays)
	require.Equal(t, text, result.Text())
}

// Many at once ask for the text and for the bytes.
func TestOwnedResultsAreSafeForConcurrentUse(t *testing.T) {
	for name, raw := range ownedResults() {
		t.Run(name, func(t *testing.T) {
			want, err := ParseCallToolResult(NewResult([]byte(raw)))
			require.NoError(t, err)
			text, blocks := want.Text(), slices.Collect(want.Content())
			result := owned(raw)
			parsed, err := ParseCallToolResult(result)
			require.NoError(t, err)
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					for range 4 {
						switch i % 4 {
						case 0:
							if parsed.Text() != text {
								t.Error("another text")
							}
						case 1:
							if !bytes.Equal(parsed.Raw(), []byte(raw)) || !bytes.Equal(result.Raw(), []byte(raw)) {
								t.Error("other bytes")
							}
						case 2:
							again, err := ParseCallToolResult(result)
							if err != nil || again.Text() != text || result.Type() != ResultComplete {
								t.Error("another result")
							}
						case 3:
							if len(slices.Collect(parsed.Content())) != len(blocks) || string(result.Meta()) != string(want.Meta()) {
								t.Error("other content")
							}
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// FuzzOwnedText: any string as the text of an owned result, however short.
func FuzzOwnedText(f *testing.F) {
	f.Add(`a\nb`, true)
	f.Add(`{\"path\": \"src\"}\n`+strings.Repeat("x", 300)+`\t\\`, false)
	f.Add(`\u00e9\n\/`, true)
	f.Fuzz(func(t *testing.T, inner string, rawFirst bool) {
		const before, after = `{"_meta":{"a":[1]},"content":[{"type":"text","text":`, `}],"isError":true}`
		raw := before + `"` + inner + `"` + after
		if !jsonscan.Valid([]byte(raw)) || !jsonscan.Valid([]byte(`"`+inner+`"`)) {
			return
		}
		plain, err := ParseCallToolResult(NewResult([]byte(raw)))
		require.NoError(t, err)
		span := jsonscan.Span{From: len(before), To: len(raw) - len(after)}
		data := []byte(raw)
		own := Result{raw: data, long: span, own: &ownBytes{raw: data, string: span}}
		result, err := ParseCallToolResult(own)
		require.NoError(t, err)
		if rawFirst {
			require.Equal(t, raw, string(own.Raw()))
		}
		text := result.Text()
		require.Equal(t, plain.Text(), text)
		require.Equal(t, raw, string(result.Raw()))
		require.Equal(t, slices.Collect(plain.Content()), slices.Collect(result.Content()))
		require.Equal(t, plain.Meta(), result.Meta())
		require.Equal(t, plain.Text(), text)
		require.Equal(t, plain.Text(), result.Text())
	})
}
