#!/usr/bin/env bash
# Lets server processes die under many callers; see soak/doc.go. It needs Linux
# and Go; without a C compiler it runs without the race detector, without Node
# and npm it leaves out the servers from npm.
#
#   SOAK=10m         how long the main test runs; the others add half as much again.
#                    The default is 2m.
#   REQUIRE_ALL=1    makes anything left out a failure
#
# Arguments go to go test, for example -run Memory.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off SOAK="${SOAK:-2m}" REQUIRE_ALL="${REQUIRE_ALL:-}"

left_out() {
    echo "LEFT OUT: $1"
    if [ -n "$REQUIRE_ALL" ]; then
        echo "REQUIRE_ALL is set: this is a failure"
        exit 1
    fi
}

if [ "$(uname -s)" != Linux ]; then
    echo "the soak test counts what is left behind in /proc: it needs Linux" >&2
    exit 2
fi
race=(-race)
if ! command -v "$(go env CC)" >/dev/null; then
    race=()
    left_out "the race detector (no C compiler)"
fi
if command -v node >/dev/null && command -v npm >/dev/null; then
    ./scripts/npm.sh peers/servers
else
    left_out "the servers from npm (no Node)"
fi
# The tests bound themselves; they cannot tell go test in advance by how much.
exec go test "${race[@]}" -count=1 -v -timeout=48h "$@" ./soak
