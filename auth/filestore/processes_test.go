package filestore

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
)

// folderVariable tells this test program, run by itself, to count in the store
// of the folder.
const folderVariable = "FILESTORE_TEST_FOLDER"

const countTo = 40 // of each process

func counterKey() auth.Key { return auth.Key{Kind: auth.KindToken, ID: "counter"} }

// TestCount is one of the processes of TestProcessesShareAFolder.
func TestCount(t *testing.T) {
	folder := os.Getenv(folderVariable)
	if folder == "" {
		folder = t.TempDir()
	}
	s := open(t, folder, master(1))
	for done := 0; done < countTo; {
		value, found, err := s.Get(t.Context(), counterKey())
		require.NoError(t, err)
		n := 0
		if found {
			n, err = strconv.Atoi(string(value))
			require.NoError(t, err)
		}
		swapped, err := s.Swap(t.Context(), counterKey(), value, fmt.Append(nil, n+1), time.Time{})
		require.NoError(t, err)
		if swapped {
			done++
		}
	}
}

func TestProcessesShareAFolder(t *testing.T) {
	const processes = 4
	self, err := os.Executable()
	require.NoError(t, err)
	folder := t.TempDir()
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			command := exec.Command(self, "-test.run=^TestCount$")
			command.Env = append(os.Environ(), folderVariable+"="+folder, "GORACE=atexit_sleep_ms=0")
			output, err := command.CombinedOutput()
			assert.NoError(t, err, "%s", output)
		})
	}
	all.Wait()
	value, found, err := open(t, folder, master(1)).Get(t.Context(), counterKey())
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, fmt.Sprint(processes*countTo), string(value))
}
