#!/usr/bin/env bash
# Builds, vets, checks and tests every module of this repository.
#
# It takes some minutes, the first time longer: modules and, with npm, servers are
# fetched. It needs Go and nothing else. What a machine lacks is left out by name:
#   - without a C compiler the tests run without the race detector;
#   - without Node and npm the tests against servers from npm and the official
#     conformance suite are skipped;
#   - without Chromium the tests of pages in a browser are skipped;
#   - without redis-server (scripts/install-redis.sh) those of contrib/redis and the
#     fleet of examples/webapp are.
# REQUIRE_ALL=1 makes anything left out a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

export REQUIRE_ALL="${REQUIRE_ALL:-}"
export GOWORK=off
# Where the tests of pages keep pictures of what they saw.
export SCREENSHOTS="${SCREENSHOTS:-$(pwd)/bin/screenshots}"

left_out() {
    echo "LEFT OUT: $1"
    if [ -n "$REQUIRE_ALL" ]; then
        echo "REQUIRE_ALL is set: this is a failure"
        exit 1
    fi
}

# Files of ours by name, from git, or by looking where this is no checkout.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    ours() {
        git ls-files -co --exclude-standard "$1" | while read -r file; do
            if [ -e "$file" ]; then echo "$file"; fi
        done
    }
else
    ours() { find . \( -path ./bin -o -name node_modules \) -prune -o -type f -name "$1" -print | sed 's|^\./||'; }
fi

# Every module but tools, which holds no code of ours.
modules=$(ours '*go.mod' | xargs -n1 dirname | grep -v '^tools$' | sort)
echo "== building, vetting, checking and testing the modules $(echo $modules); this takes some minutes"

node=
race=(-race)
if ! command -v "$(go env CC)" >/dev/null; then
    race=()
    left_out "the race detector (no C compiler)"
fi

if [ ! -d peers/servers ]; then
    : # nothing here needs Node
elif command -v node >/dev/null && command -v npm >/dev/null; then
    node=yes
    ./scripts/npm.sh peers/servers
else
    left_out "the servers from npm and the conformance suite (no Node)"
fi

chromium=
for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then chromium=$name; fi
done
if [ -z "$chromium" ]; then
    left_out "the pages in a browser (no Chromium)"
fi

if ! command -v redis-server >/dev/null && ! command -v valkey-server >/dev/null; then
    left_out "the stores in Redis (no redis-server: scripts/install-redis.sh)"
fi

echo "== gofmt"
unformatted=$(ours '*.go' | xargs gofmt -l)
if [ -n "$unformatted" ]; then
    echo "gofmt would change:"
    echo "$unformatted"
    exit 1
fi

echo "== building staticcheck"
staticcheck=$(pwd)/bin/staticcheck
go build -modfile=tools/go.mod -o "$staticcheck" honnef.co/go/tools/cmd/staticcheck

for module in $modules; do
    echo "== module $module"
    (
        cd "$module"
        go build ./...
        go vet ./...
        "$staticcheck" ./...
        go test "${race[@]}" -count=1 -timeout=10m ./...
    )
done
echo "== what was handed out, while all that is used again is overwritten"
go vet -tags poison ./internal/... ./transporters/...
go test "${race[@]}" -count=1 -tags poison -run TestWhatWasHandedOutStays ./chaos
echo "== cases from public bug reports"
./scripts/field.sh
if [ -n "$node" ]; then
    echo "== the official conformance suite"
    ./scripts/conformance.sh
fi
for system in windows darwin; do
    echo "== vet for $system"
    GOOS=$system CGO_ENABLED=0 go vet ./...
    (cd examples/webapp && GOOS=$system CGO_ENABLED=0 go vet ./...)
done
echo "== allocations per call"
./scripts/bench.sh allocs
echo "all tests passed"
