package sse

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// streams are event streams with what they mean, one event a string.
func streams() []struct {
	name, text string
	want       []string
} {
	type row = struct {
		name, text string
		want       []string
	}
	long := strings.Repeat("x", 3*firstBuffer)
	return []row{
		{"one event", "data: a\n\n", []string{"message:a"}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"message:a", "message:b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"message:a", "message:b"}},
		{"mixed line ends", "data: a\rdata: b\r\ndata: c\n\r\ndata: d\n\r", []string{"message:a\nb\nc", "message:d"}},
		{"LF CR is two lines", "data: a\n\rdata: b\n\n", []string{"message:a", "message:b"}},
		{"P23: no space, one space, two spaces", "data:a\n\ndata: b\n\ndata:  c\n\n", []string{"message:a", "message:b", "message: c"}},
		{"P23: lines are joined", "data: a\ndata:\ndata: b\n\n", []string{"message:a\n\nb"}},
		{"joined around other lines", "data: a\n: comment\nevent: x\ndata: b\nunknown: y\ndata: c\n\n", []string{"x:a\nb\nc"}},
		{"empty data line", "data\n\ndata:\n\ndata\ndata\n\n", []string{"message:", "message:", "message:\n"}},
		{"P23: comments and blank lines yield nothing", ": hello\n\n:\n\n\n\n: x\ndata: a\n\n", []string{"message:a"}},
		{"P23: BOM", "\xEF\xBB\xBFdata: a\n\ndata: b\n\n", []string{"message:a", "message:b"}},
		{"only one BOM, only in front", "\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n\xEF\xBB\xBFdata: b\n\ndata: c\n\n", []string{"message:c"}},
		{"BOM before a blank line", "\xEF\xBB\xBF\ndata: a\n\n", []string{"message:a"}},
		{"types", "event: endpoint\ndata: /x\n\nevent:ping\ndata:\n\nevent: \ndata: a\n\nevent: odd one\ndata: b\n\n",
			[]string{"endpoint:/x", "ping:", "message:a", "odd one:b"}},
		{"the last type counts", "event: a\nevent: b\ndata: x\n\n", []string{"b:x"}},
		{"a type does not outlive its event", "event: a\n\ndata: x\n\n", []string{"message:x"}},
		{"P22: priming", "id: 7\n\nid: 8\ndata:\n\nid: 9\ndata: a\n\n", []string{"message:<nil> id=7", "message: id=8", "message:a id=9"}},
		{"P25: id with NUL is ignored", "id: a\x00b\ndata: x\n\n", []string{"message:x"}},
		{"P25: empty id resets", "id: a\ndata: x\n\nid\ndata: y\n\nid:\n\n", []string{"message:x id=a", "message:y id=", "message:<nil> id="}},
		{"ids are not inherited", "id: a\ndata: x\n\ndata: y\n\n", []string{"message:x id=a", "message:y"}},
		{"P24: retry", "retry: 500\n\nretry:1\ndata: a\n\nretry: 0\n\n", []string{"message:<nil> retry=500ms", "message:a retry=1ms", "message:<nil> retry=0s"}},
		{"retry is digits", "retry: -1\nretry: 1.5\nretry: 1s\nretry:\nretry:  1\ndata: a\n\n", []string{"message:a"}},
		{"retry beyond all bounds", "retry: 99999999999999999999999999\n\n",
			[]string{"message:<nil> retry=" + (time.Duration(math.MaxInt64/int64(time.Millisecond)) * time.Millisecond).String()}},
		{"P23: cut-off event", "data: a\n\ndata: b\nid: 1\n", []string{"message:a"}},
		{"P23: cut-off line", "data: a\n\ndata: b", []string{"message:a"}},
		{"field names are exact", "Data: a\n data: b\ndata : c\ndatax: d\ndata: e\n\n", []string{"message:e"}},
		{"colons in the value", "data: a: b:\n\ndata::\n\n", []string{"message:a: b:", "message::"}},
		{"longer than the first buffer", "data: " + long + "\ndata: y\n\ndata: z\n\n", []string{"message:" + long + "\ny", "message:z"}},
		{"empty", "", nil},
		{"blank", "\n\r\r\n\n", nil},
	}
}

func describe(e Event) string {
	var b strings.Builder
	b.WriteString(e.Type + ":")
	if e.Data == nil {
		b.WriteString("<nil>")
	}
	b.Write(e.Data)
	if e.HasID {
		b.WriteString(" id=" + e.ID)
	}
	if e.HasRetry {
		b.WriteString(" retry=" + e.Retry.String())
	}
	return b.String()
}

// collect reads to the end and describes the events.
func collect(source io.Reader, maxEvent int) (events []string, err error) {
	reader := New(source, maxEvent)
	for {
		event, err := reader.Next()
		if err != nil {
			again, same := reader.Next()
			if again.Data != nil || same != err || reader.Take() != nil {
				return events, fmt.Errorf("error is not final: %v, then %v", err, same)
			}
			return events, err
		}
		events = append(events, describe(event))
	}
}

func TestStreams(t *testing.T) {
	for _, stream := range streams() {
		t.Run(stream.name, func(t *testing.T) {
			events, err := collect(strings.NewReader(stream.text), 0)
			require.Equal(t, io.EOF, err)
			assert.Equal(t, stream.want, events)
		})
	}
}

func TestStreamsInPieces(t *testing.T) {
	for _, stream := range streams() {
		t.Run(stream.name, func(t *testing.T) {
			events, err := collect(iotest.OneByteReader(strings.NewReader(stream.text)), 0)
			require.Equal(t, io.EOF, err)
			assert.Equal(t, stream.want, events)
			events, err = collect(iotest.DataErrReader(strings.NewReader(stream.text)), 0)
			require.Equal(t, io.EOF, err)
			assert.Equal(t, stream.want, events)
			for split := range min(len(stream.text), 200) {
				source := io.MultiReader(strings.NewReader(stream.text[:split]), strings.NewReader(stream.text[split:]))
				events, err := collect(source, 0)
				require.Equal(t, io.EOF, err)
				require.Equal(t, stream.want, events, "split at %d", split)
			}
		})
	}
}

// A complete event is returned although the source has no more bytes yet: the
// pipe's writer is not ahead by a single byte.
func TestNextDoesNotWaitForMoreThanTheEvent(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r", "\r\n\r", "\n\r"} {
		t.Run(fmt.Sprintf("%q", end), func(t *testing.T) {
			source, sink := io.Pipe()
			defer source.Close()
			reader := New(source, 0)
			written := make(chan error, 1)
			for i := range 3 {
				go func() {
					_, err := fmt.Fprintf(sink, "data: %d%s", i, end)
					written <- err
				}()
				event, err := reader.Next()
				require.NoError(t, err)
				assert.Equal(t, fmt.Sprint(i), string(event.Data))
				require.NoError(t, <-written)
			}
			sink.Close()
			_, err := reader.Next()
			assert.Equal(t, io.EOF, err)
		})
	}
}

func TestSizeIsLimited(t *testing.T) {
	const limit = 100
	for name, c := range map[string]struct {
		text string
		fits bool
	}{
		"just fits":           {"data:" + strings.Repeat("x", limit-7) + "\n\n", true},
		"one too many":        {"data:" + strings.Repeat("x", limit-6) + "\n\n", false},
		"cut-off line":        {"data:" + strings.Repeat("x", limit), false},
		"many data lines":     {strings.Repeat("data:x\n", limit/7) + "\n\n", true},
		"too many data lines": {strings.Repeat("data:x\n", limit/7+1) + "\n", false},
		"comments count":      {strings.Repeat(":x\n", limit/3+1) + "\n", false},
		"each event anew":     {strings.Repeat(":"+strings.Repeat("x", limit-10)+"\n\n", 50), true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, source := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				_, err := collect(source, limit)
				if c.fits {
					require.Equal(t, io.EOF, err)
				} else {
					require.ErrorIs(t, err, errors.ErrMessageTooLarge)
					require.ErrorContains(t, err, "100 bytes")
				}
			}
		})
	}
}

// An endless event must be refused after about the limit's bytes, not more.
func TestEndlessEventIsRefusedInTime(t *testing.T) {
	for _, piece := range []string{"x", "data: x\n", ": ping\n", "data: x\r", "event: x\n"} {
		source := &endless{piece: piece}
		_, err := collect(source, 1<<20)
		require.ErrorIs(t, err, errors.ErrMessageTooLarge, "%q", piece)
		assert.Less(t, source.sent, 4<<20, "%q", piece)
	}
}

type endless struct {
	piece string
	sent  int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		m := copy(p[n:], e.piece[e.sent%len(e.piece):])
		n += m
		e.sent += m
	}
	return n, nil
}

func TestErrorsOfTheSource(t *testing.T) {
	broken := errors.New("connection reset")
	events, err := collect(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)), 0)
	assert.Equal(t, broken, err)
	assert.Equal(t, []string{"message:a"}, events)

	_, err = collect(readFunc(func([]byte) (int, error) { return 0, nil }), 0)
	assert.Equal(t, io.ErrNoProgress, err)
	_, err = collect(readFunc(func(p []byte) (int, error) { return len(p) + 1, nil }), 0)
	assert.ErrorContains(t, err, "impossible count")

	// The bytes that come with an error count; the error is not lost.
	sent := false
	_, err = collect(readFunc(func(p []byte) (int, error) {
		if sent {
			return 0, io.EOF
		}
		sent = true
		return copy(p, "data: a\n"), broken
	}), 0)
	assert.Equal(t, broken, err)
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestTakeGivesTheDataAway(t *testing.T) {
	long := strings.Repeat("l", 300<<10)
	text := "data: short\n\n" + "data: " + long + "\n\ndata: next\n\nid: 1\n\n"
	reader := New(strings.NewReader(text), 0)
	var taken [][]byte
	for range 3 {
		event, err := reader.Next()
		require.NoError(t, err)
		require.NotNil(t, event.Data)
		taken = append(taken, reader.Take())
		assert.Nil(t, reader.Take())
	}
	_, err := reader.Next()
	require.NoError(t, err)
	assert.Nil(t, reader.Take())
	_, err = reader.Next()
	require.Equal(t, io.EOF, err)
	reader.Reset(strings.NewReader("data: "+strings.Repeat("z", 2000)+"\n\n"), 0)
	_, err = reader.Next()
	require.NoError(t, err)
	assert.Equal(t, "short", string(taken[0]))
	assert.Equal(t, long, string(taken[1]))
	assert.Equal(t, "next", string(taken[2]))
}

func TestMemoryIsGivenBackAfterALongEvent(t *testing.T) {
	long := "data: " + strings.Repeat("l", 1<<20) + "\n\n"
	short := "data: s\n\n"
	reader := New(io.MultiReader(strings.NewReader(long), strings.NewReader(short), strings.NewReader(long), strings.NewReader(short)), 0)
	for i, want := range []int{1 << 20, 1, 1 << 20, 1} {
		event, err := reader.Next()
		require.NoError(t, err)
		require.Len(t, event.Data, want)
		if want == 1 {
			assert.LessOrEqual(t, len(reader.buffer), keptBuffer, "event %d", i)
		}
	}
	reader.Reset(strings.NewReader(""), 0)
	assert.LessOrEqual(t, len(reader.buffer), keptBuffer)
}

// The second long event is met with its size at once: the buffers from the
// first to the largest kept one, and one more.
func TestLongEventsCostLittleMoreThanTheirSize(t *testing.T) {
	const size = 1 << 20
	text := "data: " + strings.Repeat("l", size) + "\n\n"
	source := strings.NewReader("")
	reader := New(source, 0)
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			source.Reset(text)
			reader.Reset(source, 0)
			if event, err := reader.Next(); err != nil || len(event.Data) != size {
				b.Fatal(err)
			}
			reader.Take()
		}
	})
	assert.Less(t, result.AllocedBytesPerOp(), int64(size+size/2))
	assert.Less(t, result.AllocsPerOp(), int64(6))
}

func TestSmallEventsAllocateNothing(t *testing.T) {
	text := strings.Repeat("event: message\nid: 7\ndata: {\"jsonrpc\":\"2.0\"}\n\n: ping\n\n", 1000)
	source := strings.NewReader("")
	reader := New(source, 0)
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		source.Reset(text)
		reader.Reset(source, 0)
		for range 1000 {
			if _, err := reader.Next(); err != nil {
				t.Fatal(err)
			}
		}
	}), 1.0) // the id, once
}

// FuzzReader: however a stream is cut into pieces, it has the same events, and
// they are those of a plain reading of the standard.
func FuzzReader(f *testing.F) {
	for _, stream := range streams() {
		f.Add([]byte(stream.text), uint8(3), uint16(0))
	}
	f.Add([]byte("data: aaaaaaaaaaaaaaa\ndata: b\n\n"), uint8(1), uint16(20))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8, limit uint16) {
		want, wantErr := collect(bytes.NewReader(stream), int(limit))
		pieces := func() io.Reader {
			return readFunc(func() func(p []byte) (int, error) {
				rest := stream
				return func(p []byte) (int, error) {
					if len(rest) == 0 {
						return 0, io.EOF
					}
					n := copy(p, rest[:min(len(rest), int(piece)+1)])
					rest = rest[n:]
					return n, nil
				}
			}())
		}
		got, gotErr := collect(pieces(), int(limit))
		require.Equal(t, want, got)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(gotErr))
		if limit == 0 {
			require.Equal(t, io.EOF, wantErr)
			require.Equal(t, plainReading(string(stream)), want)
		}
	})
}

// plainReading is the standard's algorithm, written for clearness.
func plainReading(stream string) (events []string) {
	stream = strings.TrimPrefix(stream, "\xEF\xBB\xBF")
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	stream = strings.ReplaceAll(stream, "\r", "\n")
	lines := strings.Split(stream, "\n")
	var e Event
	var data []string
	for _, line := range lines[:len(lines)-1] { // behind the last terminator is no line
		if line == "" {
			if data != nil {
				e.Data = []byte(strings.Join(data, "\n"))
			}
			if e.Type == "" {
				e.Type = "message"
			}
			if data != nil || e.HasID || e.HasRetry {
				events = append(events, describe(e))
			}
			e, data = Event{}, nil
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
		case "event":
			e.Type = value
		case "id":
			if !strings.Contains(value, "\x00") {
				e.ID, e.HasID = value, true
			}
		case "retry":
			if delay, ok := milliseconds([]byte(value)); ok {
				e.Retry, e.HasRetry = delay, true
			}
		}
	}
	return events
}

func BenchmarkNext(b *testing.B) {
	small := strings.Repeat("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n", 10_000)
	long := "data: " + strings.Repeat("l", 1<<20) + "\n\n"
	for _, c := range []struct{ name, text string }{{"small", small}, {"long", long}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			source := strings.NewReader("")
			reader := New(source, 0)
			for b.Loop() {
				source.Reset(c.text)
				reader.Reset(source, 0)
				for {
					if _, err := reader.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}

// A reader that is told what a long event needs meets it with one allocation.
func TestALongEventIsExpected(t *testing.T) {
	stream := "data: " + strings.Repeat("x", 1<<20) + "\n\n"
	first := New(strings.NewReader(stream), 0)
	_, err := first.Next()
	require.NoError(t, err)
	require.Greater(t, first.LongEvent(), 1<<20)
	bytesOf := func(expected int) uint64 {
		reader := New(strings.NewReader(stream), 0)
		reader.ExpectLongEvent(expected)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := reader.Next()
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		return after.TotalAlloc - before.TotalAlloc
	}
	require.Less(t, bytesOf(first.LongEvent()), uint64(1<<20*13/10))
	require.Greater(t, bytesOf(0), uint64(1<<20*18/10), "it was not told")
}
