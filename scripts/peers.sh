#!/usr/bin/env bash
# Runs the integration matrix: this project's client against servers that others
# wrote. See peers/interop.
#
#   scripts/peers.sh [flag ...]   the flags of peers/run, for example
#                                 -only 'peer2026 http 2026' or -markdown FILE
#
# It needs Go, and Node (20 or newer) and npm to install the servers. Where the
# specification's schemas are not beside this folder (../shared/schemas), the
# wire is not judged.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "the integration matrix needs Node and npm" >&2
    exit 2
fi
for folder in peers/servers peers/servers2026 peers/matrix; do
    ./scripts/npm.sh "$folder"
done

mkdir -p bin/peers
(
    cd peers
    go build -o ../bin/peers/run ./run
    go build -o ../bin/peers/peers-tee ./tee
    go build -o ../bin/peers/ ./gosdkserver ./mcpgoserver \
        github.com/modelcontextprotocol/go-sdk/conformance/everything-server \
        github.com/mark3labs/mcp-go/examples/everything
)
# The OpenID provider is a Go module (peers/oidc), whose tests are the matrix.
case " $* " in
    *" -only "*) ;;
    *) (cd peers/oidc && go test -count=1 ./...) ;;
esac
exec bin/peers/run -known peers/known-failures "$@"
