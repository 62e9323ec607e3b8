package mcp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func TestResultsForFakes(t *testing.T) {
	for _, text := range []string{"", "sunny", "<\u2028>"} {
		result := mcp.NewTextResult(text)
		assert.Equal(t, text, result.Text())
		assert.False(t, result.IsError)
	}
	assert.JSONEq(t, `{"content":[{"type":"text","text":""}]}`, string(mcp.NewTextResult("").Raw()))
	result, err := mcp.NewStructuredResult(map[string]int{"sum": 5})
	require.NoError(t, err)
	structured, found := result.Structured()
	require.True(t, found)
	assert.JSONEq(t, `{"sum":5}`, string(structured))
	assert.JSONEq(t, `{"sum":5}`, result.Text())

	_, err = mcp.NewStructuredResult(7)
	require.ErrorIs(t, err, errors.ErrInvalidParams)
	assert.ErrorContains(t, err, "must be an object, found a number")
	_, err = mcp.NewStructuredResult(make(chan int))
	require.ErrorIs(t, err, errors.ErrInvalidParams)
}
