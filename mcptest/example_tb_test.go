package mcptest_test

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// exampleTB stands for the *testing.T that a test has: an example ends it.
type exampleTB struct{ cleanups []func() }

func (t *exampleTB) Helper()                           {}
func (t *exampleTB) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (t *exampleTB) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (t *exampleTB) Cleanup(function func())           { t.cleanups = append(t.cleanups, function) }

func (t *exampleTB) end() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}

// weather is code under test: it gets its transporter injected.
type weather struct{ transporter transporters.Transporter }

func (w weather) in(ctx context.Context, city string) (string, error) {
	params := map[string]any{"name": "weather", "arguments": map[string]any{"city": city}}
	result, err := w.transporter.Request(ctx, "tools/call", params, nil)
	if err != nil {
		return "", err
	}
	var answer struct{ Content []struct{ Text string } }
	if err := result.Decode(&answer); err != nil {
		return "", err
	}
	return answer.Content[0].Text, nil
}
