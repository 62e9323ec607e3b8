#!/usr/bin/env bash
# Runs the official conformance suite against this project's client.
#
#   scripts/conformance.sh [flag ...]        the flags of conformance/run, for example
#                                            -only '2025-11-25 auth/' or -client PROGRAM -known ''
#   scripts/conformance.sh prove [flag ...]  shows that a client that does nothing, and one that
#                                            exits with 1, are found out
#
# It needs Go, and Node and npm to install the suite; the Node that runs the
# suite is installed with it.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "the conformance suite needs Node and npm" >&2
    exit 2
fi
./scripts/npm.sh conformance/suite

(
    cd conformance
    go build -o ../bin/conformance-client ./client
    go build -o ../bin/conformance ./run
    go build -o ../bin/conformance-proof ./proof
)
if [ "${1:-}" = prove ]; then
    shift
    exec bin/conformance-proof "$@"
fi
exec bin/conformance -known conformance/known-failures "$@"
