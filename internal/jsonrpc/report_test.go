package jsonrpc

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

func usualReports() map[string]Report {
	return map[string]Report{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":3,"total":10,"message":"step 3"}}`: {
			Token: 7, Progress: 3, Total: 10, Message: []byte("step 3")},
		`{"method":"notifications/progress","params":{"progressToken":12,"progress":0.25,"total":1.0,"message":"größer"},"jsonrpc":"2.0"}`: {
			Token: 12, Progress: 0.25, Total: 1, Message: []byte("größer")},
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"","progress":0,"progressToken":"42"}}`: {
			Token: 42, Message: []byte("")},
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":123456789012345,"progressToken":0}}`: {
			Progress: 123456789012345},
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1234567.89012345,"progressToken":999999999999999}}`: {
			Token: 999999999999999, Progress: 1234567.89012345},
	}
}

// What most servers write is read without the general scanner.
func TestScanReport(t *testing.T) { // R132, R133, R134
	for text, want := range usualReports() {
		report, ok := ScanReport([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, report, text)
		compareReport(t, []byte(text))
	}
}

func otherReports() []string {
	const form = `{"jsonrpc":"2.0","method":"notifications/progress","params":{%s}}`
	others := []string{
		``, `{`, `null`, `[]`,
		`{"jsonrpc":"2.0","method":"notifications/progress"}`,
		`{"jsonrpc":"2.0","id":1,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"jsonrpc":"1.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"method":"notifications/progress","params":{"progressToken":1,"progress":1},"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1},"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}} {}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"progressToken":1,"progress":1}}`,
	}
	for _, params := range []string{
		``, `"progressToken":1`, `"progress":1`, `"progressToken":1,"progress":1,`, `"progressToken":1,,"progress":1`,
		`"progressToken":1,"progress":1,"progress":2`, `"progressToken":1,"progressToken":1,"progress":1`,
		`"progressToken":01,"progress":1`, `"progressToken":"01","progress":1`, `"progressToken":1.0,"progress":1`,
		`"progressToken":-1,"progress":1`, `"progressToken":"a","progress":1`, `"progressToken":null,"progress":1`,
		`"progressToken":"1,"progress":1`, `"progressToken":9999999999999999,"progress":1`,
		`"progressToken":1,"progress":-1`, `"progressToken":1,"progress":1e3`, `"progressToken":1,"progress":01`,
		`"progressToken":1,"progress":.5`, `"progressToken":1,"progress":5.`, `"progressToken":1,"progress":"1"`,
		`"progressToken":1,"progress":12345678.90123456`, `"progressToken":1,"progress":1,"total":null`,
		`"progressToken":1,"progress":1,"message":null`, `"progressToken":1,"progress":1,"message":"a\nb"`,
		"\"progressToken\":1,\"progress\":1,\"message\":\"a\nb\"", "\"progressToken\":1,\"progress\":1,\"message\":\"\xff\"",
		"\"progressToken\":1,\"progress\":1,\"message\":\"long enough for words, then \xc3\"",
		`"progressToken":1,"progress":1,"_meta":{}`, `"progressToken": 1,"progress":1`, `"progressToken":1, "progress":1`,
		`"progressToken":1,"progress":1,"message":"open`,
	} {
		others = append(others, fmt.Sprintf(form, params))
	}
	return others
}

// Whatever is unusual, right or wrong, is left to the general scanner.
func TestScanReportLeavesTheRest(t *testing.T) {
	for _, text := range otherReports() {
		_, ok := ScanReport([]byte(text))
		assert.False(t, ok, text)
	}
	for text := range usualReports() {
		for end := range len(text) {
			_, ok := ScanReport([]byte(text[:end]))
			require.False(t, ok, text[:end])
		}
	}
}

// compareReport checks that what ScanReport accepts, the general scanner reads in
// the same way.
func compareReport(t *testing.T, data []byte) {
	t.Helper()
	report, ok := ScanReport(data)
	if !ok {
		require.Zero(t, report)
		return
	}
	m, err := Scan(data)
	require.NoError(t, err)
	require.Equal(t, mcp.KindNotification, m.Kind())
	token, progress, ok := m.Progress()
	require.True(t, ok)
	number, ok := token.Uint64()
	require.True(t, ok)
	require.Equal(t, number, report.Token)
	require.Equal(t, math.Float64bits(progress.Progress), math.Float64bits(report.Progress))
	require.Equal(t, math.Float64bits(progress.Total), math.Float64bits(report.Total))
	require.Equal(t, progress.Message, string(report.Message))
}

func FuzzScanReport(f *testing.F) {
	for text := range usualReports() {
		f.Add([]byte(text))
	}
	for _, text := range otherReports() {
		f.Add([]byte(text))
	}
	f.Fuzz(compareReport)
}

// BenchmarkReport compares the two ways from a report's bytes to its values.
func BenchmarkReport(b *testing.B) {
	data := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":4711,"total":100000,"message":"step 4711"}}`)
	b.Run("usual", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := ScanReport(data); !ok {
				b.Fatal("not read")
			}
		}
	})
	b.Run("general", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m, err := Scan(data)
			if _, _, ok := m.Progress(); !ok || err != nil {
				b.Fatal("not read")
			}
		}
	})
}
