// Package refereetest stands in for the conformance suite in tests, so that
// they need neither npm nor a minute.
package refereetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// node plays Node with the suite in it: it knows --version, `list` and
// `client`. Of a client that prints "works" it reports one check that
// succeeded, of another none; "warns", "fails", "hangs" and "babbles" do what
// they say. It takes an exit status other than 0 as the suite does.
const node = `#!/bin/sh
if [ "$1" = --version ]; then echo v22.0.1; exit; fi
folder=$(dirname "$1")
if [ "$2" = list ]; then cat "$folder/list"; exit; fi
shift 2
while [ $# -gt 0 ]; do
    case $1 in
    --scenario) scenario=$2; shift ;;
    --command) command=$2; shift ;;
    --spec-version) revision=$2; shift ;;
    esac
    shift
done
export MCP_CONFORMANCE_SCENARIO="$scenario" MCP_CONFORMANCE_PROTOCOL_VERSION="${revision:-none}"
said=$($command http://127.0.0.1:9/mcp)
status=$?
case $said in
works) echo '[{"id":"work","status":"SUCCESS"}]' ;;
warns) echo '[{"id":"work","status":"SUCCESS"},{"id":"should","status":"WARNING","description":"a warning"}]'; exit 1 ;;
fails) echo '[{"id":"work","status":"SUCCESS"},{"id":"must","status":"FAILURE","errorMessage":"a failure"}]'; exit 1 ;;
hangs) echo "$$" >"$folder/hangs"; sleep 1000 & wait ;;
babbles) echo 'no JSON' ;;
*) echo '[]' ;;
esac
if [ $status != 0 ]; then
    echo "Client exited with code $status" >&2
    grep -qx "$scenario" "$folder/allowed"
fi
`

// MayFail is the scenarios in which the suite allows the client to fail.
const MayFail = `auth/resource-mismatch
auth/metadata-issuer-mismatch
auth/scope-retry-limit
auth/iss-supported-missing
auth/iss-wrong-issuer
auth/iss-unexpected
auth/iss-normalized
http-invalid-tool-headers
`

// Install puts the stand-in where npm would put the suite and Node on the PATH,
// and returns the folder. It lists as many runs as the suite, among them
// tools_call at three revisions and sse-retry.
func Install(t *testing.T) (directory string) {
	t.Helper()
	directory = t.TempDir()
	suite := filepath.Join(directory, "node_modules", "@modelcontextprotocol", "conformance", "dist")
	Write(t, filepath.Join(suite, "index.js"), "")
	Write(t, filepath.Join(suite, "allowed"), MayFail)
	Write(t, filepath.Join(suite, "list"), list())
	Write(t, filepath.Join(directory, "bin", "node"), node)
	t.Setenv("PATH", filepath.Join(directory, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return directory
}

// list is what `list --client` prints: 59 runs at the revisions, 6 of
// extensions, and the four that are left out.
func list() string {
	var b strings.Builder
	b.WriteString("Client scenarios (test against a client):\n")
	runs := 0
	add := func(scenario string, revisions ...string) {
		runs += len(revisions)
		fmt.Fprintf(&b, "  - %s [%s]\n", scenario, strings.Join(revisions, ","))
	}
	add("tools_call", "2025-06-18", "2025-11-25", "2026-07-28")
	add("sse-retry", "2025-11-25")
	for scenario := range strings.FieldsSeq(MayFail) {
		add(scenario, "2026-07-28")
	}
	for runs < 59 {
		add(fmt.Sprintf("scenario-%d", runs), "2026-07-28")
	}
	for i := range 6 {
		add(fmt.Sprintf("auth/extension-%d", i), "extension")
	}
	for _, name := range []string{"no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"} {
		add("sep-2640-client-"+name, "extension")
	}
	return b.String()
}

// Write writes an executable file, and the folders above it.
func Write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}
