package otel_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheCoreKnowsNothingOfTelemetry: who does not want it does not download it.
func TestTheCoreKnowsNothingOfTelemetry(t *testing.T) {
	for _, file := range []string{"../../go.mod", "../../go.sum"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(text), "resty", "the file was not found at all")
		assert.NotContains(t, string(text), "opentelemetry", file)
	}
}
