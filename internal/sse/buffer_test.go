package sse

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// A buffer is kept for the next stream up to 64 KiB.
func TestResetKeepsASmallBuffer(t *testing.T) {
	for size, kept := range map[int]int{firstBuffer: firstBuffer, keptBuffer: keptBuffer, keptBuffer + 1: 0} {
		r := &Reader{buffer: make([]byte, size)}
		r.Reset(strings.NewReader(""), 0)
		assert.Len(t, r.buffer, kept)
	}
}

// Data is handed over where it fills half of a long buffer, and else copied.
func TestTakeHandsOverOrCopies(t *testing.T) {
	for _, test := range []struct {
		buffer, data int
		copied       bool
	}{
		{firstBuffer, firstBuffer, true}, {keptBuffer, keptBuffer, true}, {2 * keptBuffer, keptBuffer, false}, {2 * keptBuffer, keptBuffer - 1, true},
	} {
		buffer := make([]byte, test.buffer)
		r := &Reader{buffer: buffer, hasData: true, dataTo: test.data, line: test.data, end: test.data}
		data := r.Take()
		require.Len(t, data, test.data)
		assert.Equal(t, test.copied, &data[0] != &buffer[0], "%+v", test)
	}
}

// A long buffer goes before the next event, if little of it is still to be read.
func TestALongBufferGoes(t *testing.T) {
	for _, test := range []struct{ buffer, rest, want int }{
		{keptBuffer, 0, keptBuffer}, {2 * keptBuffer, keptBuffer / 2, keptBuffer / 2}, {2 * keptBuffer, keptBuffer/2 + 1, 2 * keptBuffer},
	} {
		r := &Reader{buffer: make([]byte, test.buffer), line: 5, end: 5 + test.rest}
		r.startEvent()
		assert.Len(t, r.buffer, max(firstBuffer, test.want), "%+v", test)
	}
}

// What a long event needed is remembered, with an eighth more.
func TestLongEventsAreRemembered(t *testing.T) {
	r := &Reader{size: keptBuffer}
	r.finish()
	assert.Zero(t, r.LongEvent())
	r.size = keptBuffer + 8
	r.finish()
	assert.Equal(t, keptBuffer+8+keptBuffer/8+1+firstBuffer, r.LongEvent())
}

// Wherever in the buffer data begins, and wherever the buffer ends within its second
// line, it is the same data.
func TestDataMovesWithTheBuffer(t *testing.T) {
	want := "first\n" + strings.Repeat("x", firstBuffer/2)
	for padding := range 2 * firstBuffer / 61 {
		stream := ":" + strings.Repeat("p", padding*61) + "\ndata: first\ndata: " + want[len("first\n"):] + "\n\n"
		event, err := New(strings.NewReader(stream), 0).Next()
		require.NoError(t, err)
		require.Equal(t, want, string(event.Data), "%d", padding)
	}
}

// An id with a NUL in it, the first byte included, is none.
func TestIDsWithNUL(t *testing.T) {
	for _, id := range []string{"\x00x", "x\x00", "\x00"} {
		event, err := New(strings.NewReader("id: "+id+"\ndata: a\n\n"), 0).Next()
		require.NoError(t, err)
		assert.False(t, event.HasID, "%q", id)
	}
}

// As many bytes as an event may have, and then the end, are a stream that ends.
func TestAnEventOfTheVeryLimit(t *testing.T) {
	_, err := New(strings.NewReader("data: xx"), 8).Next()
	require.ErrorIs(t, err, io.EOF)
	_, err = New(strings.NewReader("data: xxx"), 8).Next()
	require.ErrorIs(t, err, errors.ErrMessageTooLarge)
}

// liar says that it has read one byte more than there was room.
type liar struct{ reads int }

func (l *liar) Read(p []byte) (int, error) {
	if l.reads++; l.reads == 1 {
		return copy(p, "data: a"), nil
	}
	return len(p) + 1, nil
}

func TestImpossibleCounts(t *testing.T) {
	_, err := New(&liar{}, 0).Next()
	require.ErrorContains(t, err, "impossible count")
}

// A source that always has more than there is room for is asked for more at once, up
// to the largest buffer, which is then used again and again; one that has little at
// a time is not.
func TestASourceWithMuchIsAskedForMuch(t *testing.T) {
	const event = "data: 12345678\n\n" // as many of it as fill a buffer end with it
	for _, test := range []struct {
		piece int
		want  []int
	}{
		{keptBuffer, []int{firstBuffer, 4 * firstBuffer, keptBuffer, keptBuffer, keptBuffer}},
		{firstBuffer / 2, []int{firstBuffer, firstBuffer, firstBuffer, firstBuffer, firstBuffer}},
	} {
		var rooms []int
		var begins []*byte
		source := readFunc(func(p []byte) (int, error) {
			if len(rooms) == len(test.want) {
				return 0, io.EOF
			}
			rooms, begins = append(rooms, len(p)), append(begins, &p[0])
			return copy(p[:min(len(p), test.piece)], strings.Repeat(event, keptBuffer/len(event))), nil
		})
		events, err := collect(source, 0)
		require.Equal(t, io.EOF, err)
		require.NotEmpty(t, events)
		assert.Equal(t, test.want, rooms)
		assert.Same(t, begins[3], begins[4], "the buffer stays")
	}
}
