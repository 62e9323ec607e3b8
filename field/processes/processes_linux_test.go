package processes

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	p, ok := parse(7, "7 (a) b (c)) S 3 7 5 0 -1 4194304")
	require.True(t, ok)
	assert.Equal(t, Process{ID: 7, Parent: 3, Session: 5, Name: "a) b (c)"}, p)
	p, ok = parse(7, "7 (x) Z 3 7 5")
	require.True(t, ok)
	assert.True(t, p.Ended)
	for _, broken := range []string{"", "7 x S 1 2 3", "7 (x) S 1", "7 (x) S a 2 3", "7 )x( S 1 2 3"} {
		_, ok = parse(7, broken)
		assert.False(t, ok, broken)
	}
}

func TestChildrenAndSessions(t *testing.T) {
	require.True(t, Available())
	leader := exec.Command("sleep", "30")
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, leader.Start())
	id := leader.Process.Pid

	children, err := Children(syscall.Getpid())
	require.NoError(t, err)
	require.Len(t, children, 1)
	assert.Equal(t, id, children[0].ID)
	assert.False(t, children[0].Ended)

	in, err := InSession(id)
	require.NoError(t, err)
	require.Len(t, in, 1)
	assert.Equal(t, id, in[0].ID)

	require.NoError(t, leader.Process.Kill())
	require.Eventually(t, func() bool {
		in, err := InSession(id)
		return err == nil && len(in) == 0
	}, 5*time.Second, 5*time.Millisecond, "what has ended is not in its session any more")
	children, err = Children(syscall.Getpid())
	require.NoError(t, err)
	require.Len(t, children, 1, "a zombie is still a child")
	assert.Contains(t, children[0].String(), "is a zombie")
	assert.Error(t, leader.Wait())
	children, err = Children(syscall.Getpid())
	require.NoError(t, err)
	assert.Empty(t, children)
}
