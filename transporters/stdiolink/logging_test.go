package stdiolink

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
)

func TestLimitedLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text strings.Builder
		log := newLimitedLog(hclog.New(&hclog.LoggerOptions{Output: &text, DisableTime: true}), "things", 3)
		admitted := func(tries int) (count int) {
			for range tries {
				if log.admit() {
					count++
				}
			}
			return count
		}
		require.Equal(t, 3, admitted(5))
		time.Sleep(logWindow - time.Nanosecond)
		require.Equal(t, 0, admitted(1))
		require.Empty(t, text.String())
		time.Sleep(time.Nanosecond)
		require.Equal(t, 3, admitted(4))
		require.Equal(t, 1, strings.Count(text.String(), "\n"))
		require.Contains(t, text.String(), "lines=3")
		log.flush()
		log.flush()
		require.Equal(t, 2, strings.Count(text.String(), "\n"))
		require.Contains(t, text.String(), "kind=things lines=1")
	})
}

func TestStderrLevel(t *testing.T) {
	tests := map[string]hclog.Level{
		"listening":                           hclog.Info,
		"ERROR could not":                     hclog.Error,
		"Traceback (most recent call last):":  hclog.Error,
		"npm warn deprecated":                 hclog.Warn,
		"[debug] x":                           hclog.Debug,
		"a warning about an error":            hclog.Error,
		strings.Repeat("x", 300) + " error":   hclog.Info,
		"INFO: request took 3 ms, level=info": hclog.Info,
	}
	for line, want := range tests {
		require.Equal(t, want, stderrLevel(line), line)
	}
}
