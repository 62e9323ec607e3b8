package eventstream

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	gosse "github.com/tmaxmax/go-sse"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/sse"
)

// event is what both readers can tell of one.
type event struct{ lastID, kind, data string }

// maxEvent is so large that no stream of these tests is too long for either.
const maxEvent = 1 << 20

// ours reads a stream to its end, with the id that was last seen, and without
// events that only have a reconnection time.
func ours(source io.Reader) (events []event, err error) {
	reader := sse.New(source, maxEvent)
	lastID := ""
	for {
		next, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		if next.HasID {
			lastID = next.ID
		}
		if next.Data != nil || next.HasID {
			events = append(events, event{lastID, next.Type, string(next.Data)})
		}
	}
}

// theirs reads a stream with go-sse.
func theirs(source io.Reader) (events []event, err error) {
	for next, err := range gosse.Read(source, &gosse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			return events, err
		}
		kind := next.Type
		if kind == "" {
			kind = "message"
		}
		events = append(events, event{next.LastEventID, kind, next.Data})
	}
	return events, nil
}

// difference compares two readings; the events that only theirs has must be those
// without data.
func difference(ours, theirs []event) string {
	for i, next := range theirs {
		switch {
		case len(ours) > 0 && ours[0] == next:
			ours = ours[1:]
		case next.data != "":
			return fmt.Sprintf("event %d is %+v, ours goes on with %+v", i, next, ours)
		}
	}
	if len(ours) > 0 {
		return fmt.Sprintf("only ours has %+v", ours)
	}
	return ""
}

const byteOrderMark = "\xEF\xBB\xBF"

// isMarkedLate: go-sse takes a byte order mark away behind blank lines too.
func isMarkedLate(stream string) bool {
	return !strings.HasPrefix(stream, byteOrderMark) && strings.HasPrefix(strings.TrimLeft(stream, "\r\n"), byteOrderMark)
}

// compare reads a stream with both, ours also in pieces.
func compare(t *testing.T, stream string) {
	t.Helper()
	if isMarkedLate(stream) {
		return
	}
	want, err := theirs(strings.NewReader(stream))
	require.NoError(t, err, "%q", stream)
	got, err := ours(strings.NewReader(stream))
	require.NoError(t, err, "%q", stream)
	require.Empty(t, difference(got, want), "%q", stream)
	pieces, err := ours(iotest.OneByteReader(strings.NewReader(stream)))
	require.NoError(t, err)
	require.Equal(t, got, pieces, "%q", stream)
}

// generate writes a random stream, of what is meant to be there and what is not.
func generate(random *rand.Rand) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	end := pick("\n", "\n", "\r\n", "\r", "") // most streams keep to one kind of line end
	var b strings.Builder
	if random.IntN(8) == 0 {
		b.WriteString(byteOrderMark)
	}
	for range random.IntN(40) {
		switch random.IntN(12) {
		case 0, 1, 2, 3:
			b.WriteString(pick("data", "event", "id", "retry") + ":" + pick("", " ", "  ") + pick("a", "b: c", "", "größe", "1500", "-1", "x\x00y", `{"jsonrpc":"2.0"}`))
		case 4, 5, 6: // the end of an event
		case 7:
			b.WriteString(":" + pick("", " comment", "data: a"))
		case 8:
			b.WriteString(pick("data", "event", "id", "retry", "Data", "datax", "\xEF\xBB\xBFdata: a", " data: a", "\x00", "data\x00: a"))
		case 9:
			b.WriteString("data: " + strings.Repeat(pick("x", "yz", "ü"), random.IntN(9000)))
		default:
			for range random.IntN(6) {
				b.WriteString(pick("data", ":", " ", "a", "\n", "\r", "id", "\xff", "\x00", "event", "retry: 1"))
			}
		}
		if end == "" || random.IntN(16) == 0 {
			b.WriteString(pick("\n", "\r", "\r\n", "\n\r", "\n\n", "\r\r"))
		} else {
			b.WriteString(end)
		}
	}
	return b.String()
}

// TestSameEvents: on random streams both readers say the same.
func TestSameEvents(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	events := 0
	for range 5000 {
		stream := generate(random)
		compare(t, stream)
		got, _ := ours(strings.NewReader(stream))
		events += len(got)
	}
	require.Greater(t, events, 10_000, "most streams say something")
}

// TestDifferences shows that the differences which the package's comment lists
// are there, so that the list does not get old.
func TestDifferences(t *testing.T) {
	for name, test := range map[string]struct {
		stream       string
		ours, theirs []event
	}{
		"a type alone":              {"event: x\n\n", nil, []event{{"", "x", ""}}},
		"a reconnection time alone": {"retry: 5\n\n", nil, nil},
		"a late byte order mark":    {"\n" + byteOrderMark + "data: a\n\n", nil, []event{{"", "message", "a"}}},
		"the last id":               {"id: 1\ndata: a\n\ndata: b\n\n", []event{{"1", "message", "a"}, {"1", "message", "b"}}, []event{{"1", "message", "a"}, {"1", "message", "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ours(strings.NewReader(test.stream))
			require.NoError(t, err)
			require.Equal(t, test.ours, got)
			got, err = theirs(strings.NewReader(test.stream))
			require.NoError(t, err)
			require.Equal(t, test.theirs, got)
		})
	}
	reader := sse.New(strings.NewReader("retry: 5\n\ndata: a\n\nid: 1\n\ndata:\n\n"), 0)
	retry, _ := reader.Next()
	require.True(t, retry.HasRetry)
	unnamed, _ := reader.Next()
	require.Equal(t, "message", unnamed.Type)
	require.False(t, unnamed.HasID, "it says nothing of its id")
	priming, _ := reader.Next()
	require.Nil(t, priming.Data)
	empty, _ := reader.Next()
	require.NotNil(t, empty.Data)
}

// FuzzSameEvents is TestSameEvents with streams of the fuzzer.
func FuzzSameEvents(f *testing.F) {
	for _, stream := range []string{
		"data: a\n\n", "data: a\r\n\r\n", "data: a\r\r", "\xEF\xBB\xBFdata: a\n\n", ": hello\n\nid: 1\nretry: 10\ndata:\n\n",
		"event: x\ndata: a\ndata: b\n\ndata", "id: a\x00b\ndata: a\n\n", "\n\n\r\r\ndata\n\n", "data:\n\ndata\n\n", "id\n\nid: 2\n\n", "data: a\n\rdata: b\n\n",
	} {
		f.Add(stream)
	}
	for i := range uint64(50) {
		f.Add(generate(rand.New(rand.NewPCG(i, 0))))
	}
	f.Fuzz(func(t *testing.T, stream string) {
		if len(stream) < maxEvent/2 {
			compare(t, stream)
		}
	})
}
