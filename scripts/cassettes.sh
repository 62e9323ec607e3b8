#!/usr/bin/env bash
# Records anew the calls to server-everything that the tests of mcptest replay
# without Node. It needs Go, and Node (20 or newer) and npm to install the server.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "recording needs Node and npm" >&2
    exit 2
fi
# Install only when the lock file is newer than what is installed.
if [ ! peers/servers/node_modules/.package-lock.json -nt peers/servers/package-lock.json ]; then
    (cd peers/servers && npm ci --no-progress --loglevel=error >/dev/null)
    touch peers/servers/node_modules/.package-lock.json
fi
go test ./mcptest -run TestServerEverything -count=1 \
    -record-everything="$PWD/peers/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
