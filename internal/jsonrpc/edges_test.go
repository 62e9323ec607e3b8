package jsonrpc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Each part of a request may be longer than all others.
func TestAppendRequestOfOneLongPart(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	params, err := mcp.ParamsOf(map[string]string{"a": long})
	require.NoError(t, err)
	for name, frame := range map[string][]byte{
		"method": AppendRequest(nil, 1, false, long, nil, nil, 0),
		"params": AppendRequest(nil, 1, false, "m", params, nil, 0),
		"meta":   AppendRequest(nil, 1, false, "m", nil, []byte(`"a":"`+long+`"`), 0),
	} {
		assert.True(t, json.Valid(frame), name)
		assert.Contains(t, string(frame), long, name)
	}
}

// A slice that begins before the buffer that moves, or ends behind it, stays.
func TestPartsAcrossTheEndsStay(t *testing.T) {
	all := []byte("abcdefgh")
	to := []byte("WXYZ")
	from := all[2:6]
	for _, part := range [][]byte{all[0:2], all[1:3], all[5:7], all[6:8]} {
		got := move(part, from, to[:4:4])
		require.Same(t, &part[0], &got[0])
	}
	assert.Equal(t, "XY", string(move(all[3:5], from, to)))
}
