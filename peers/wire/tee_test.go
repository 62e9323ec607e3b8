package wire

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTee: every byte and the exit code pass, lines are recorded with who wrote
// them, a batch as its messages, and what is no JSON as a string.
func TestTee(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "tee.jsonl")
	script := `read line; echo "$line"; read line; echo '[{"a":1},{"b":2}]'; echo oops; echo trouble >&2; exit 3`
	tee := exec.Command(program, "sh", "-c", script)
	tee.Env = append(os.Environ(), asTee+"="+path)
	tee.Stdin = strings.NewReader("{\"id\":1}\n{\"id\":2}\n")
	var stdout, stderr bytes.Buffer
	tee.Stdout, tee.Stderr = &stdout, &stderr
	require.ErrorContains(t, tee.Run(), "exit status 3")
	require.Equal(t, "{\"id\":1}\n[{\"a\":1},{\"b\":2}]\noops\n", stdout.String())
	require.Equal(t, "trouble\n", stderr.String())

	records, err := ReadFile(path)
	require.NoError(t, err)
	said := map[Kind][]string{}
	for _, r := range records {
		said[r.Kind] = append(said[r.Kind], string(r.Message)+r.Text)
	}
	require.Equal(t, map[Kind][]string{
		FromClient: {`{"id":1}`, `{"id":2}`},
		FromServer: {`{"id":1}`, `{"a":1}`, `{"b":2}`, `"oops"`},
		Stderr:     {"trouble"},
		Exit:       {"exit status 3"},
	}, said)
}

// TestReadFile: a file that is not there yet, and a line that is being written,
// are no errors; a line that is no record is.
func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records")
	records, err := ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, records)
	require.NoError(t, os.WriteFile(path, []byte("{\"kind\":\"exit\"}\n{\"kind\":\"st"), 0o600))
	records, err = ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, []Record{{Kind: Exit}}, records)
	require.NoError(t, os.WriteFile(path, []byte("nonsense\n"), 0o600))
	_, err = ReadFile(path)
	require.ErrorContains(t, err, "record 1")
}
