package mcpclient_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// A grandchild that holds the pipes hides neither the death of its parent, nor
// survives it.
func TestAProcessThatForksAndDies(t *testing.T) {
	connection := connect(t, child(t, "serves", nil))
	begun := time.Now()
	_, err := connection.CallTool(t.Context(), "fork and die", nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	assert.ErrorContains(t, err, "exit status 5")
	assert.Less(t, time.Since(begun), 5*time.Second)

	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	require.True(t, ok)
	var grandchild int
	_, err = fmt.Sscanf(failure.Stderr, "grandchild %d", &grandchild)
	require.NoError(t, err, "%q", failure.Stderr)
	assert.Eventually(t, func() bool { return !isRunning(grandchild) }, 5*time.Second, 10*time.Millisecond)
	_, err = connection.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
}

// isRunning reports whether there is such a process that has not ended.
func isRunning(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}
