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
./scripts/npm.sh peers/servers
go test ./mcptest -run TestServerEverything -count=1 \
    -record-everything="$PWD/peers/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
