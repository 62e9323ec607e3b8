package stdiolink

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	tests := map[string]struct {
		text  string
		limit int
		want  []string
		err   error
	}{
		"nothing":                    {text: "", err: io.EOF},
		"lines":                      {text: "a\nbc\n\nd\n", want: []string{"a", "bc", "", "d"}, err: io.EOF},
		"CRLF":                       {text: "a\r\n\r\nb\rc\r\n", want: []string{"a", "", "b\rc"}, err: io.EOF},
		"no line end":                {text: "a\nbc\r", want: []string{"a", "bc"}, err: io.EOF},
		"long":                       {text: "a\n" + long + "\nb\n" + long + "\n" + long, want: []string{"a", long, "b", long, long}, err: io.EOF},
		"as long as the limit":       {text: "abcd\nabcd\r\nabcd", limit: 4, want: []string{"abcd", "abcd", "abcd"}, err: io.EOF},
		"longer than the limit":      {text: "a\nabcde\nb\n", limit: 4, want: []string{"a"}, err: errLineTooLong},
		"much longer than the limit": {text: "a\n" + long, limit: 4, want: []string{"a"}, err: errLineTooLong},
		"long behind long":           {text: long + "\n" + strings.Repeat("s\n", 100_000) + long + "\n", want: append(append([]string{long}, strings.Split(strings.Repeat("s ", 99_999)+"s", " ")...), long), err: io.EOF},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":           func(r io.Reader) io.Reader { return r },
		"by the byte":     iotest.OneByteReader,
		"by halves":       iotest.HalfReader,
		"error with data": iotest.DataErrReader,
	}
	for name, test := range tests {
		for how, reader := range readers {
			t.Run(name+"/"+how, func(t *testing.T) {
				limit := test.limit
				if limit == 0 {
					limit = 1 << 20
				}
				lines := newLineReader(reader(strings.NewReader(test.text)), limit)
				var got []string
				var kept [][]byte // owned lines, which must stay as they are
				var err error
				for err == nil {
					var line []byte
					var owned bool
					line, owned, err = lines.next()
					if err == nil || len(line) > 0 {
						got = append(got, string(line))
						if owned {
							kept = append(kept, line)
						}
					}
				}
				require.ErrorIs(t, err, test.err)
				require.Equal(t, test.want, got)
				for _, line := range kept {
					require.Contains(t, got, string(line))
				}
				_, _, again := lines.next()
				require.ErrorIs(t, again, test.err)
			})
		}
	}
}

func TestLongLineTakesItsBufferAlong(t *testing.T) {
	lines := newLineReader(strings.NewReader("short\n"+strings.Repeat("x", 1<<20)+"\nshort\n"), 2<<20)
	_, owned, err := lines.next()
	require.NoError(t, err)
	require.False(t, owned)
	_, owned, err = lines.next()
	require.NoError(t, err)
	require.True(t, owned)
	line, owned, err := lines.next()
	require.NoError(t, err)
	require.False(t, owned)
	require.Equal(t, "short", string(line))
	require.Len(t, lines.buffer, lineBuffer, "the usual buffer is back")
}

func TestReadErrorComesAfterWhatWasRead(t *testing.T) {
	broken := errors.New("broken")
	lines := newLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 100)
	line, _, err := lines.next()
	require.NoError(t, err)
	require.Equal(t, "a", string(line))
	line, _, err = lines.next()
	require.ErrorIs(t, err, broken)
	require.Equal(t, "b", string(line))
}
