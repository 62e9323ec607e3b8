#!/usr/bin/env bash
# Measures this client against others; see bench/README.md.
#
#   bench.sh quick [OPTION...]     the main workloads, about 5 minutes
#   bench.sh full [OPTION...]      all workloads, goals, plots of growth and profiles,
#                                  about 25 minutes
#   bench.sh page [quick|full]     the page of the last such run again (full by default),
#                                  with the reasons and goals of now: a second
#   bench.sh allocs                allocations per call, a few seconds
#   bench.sh stores                a cached list in memory and through Redis, a
#                                  minute; needs redis-server (install-redis.sh)
#   bench.sh profile [OPTION...]   profiles, into bench/results/profiles
#
# Options are those of bench/orchestrate (-help lists them). quick and full
# write docs/performance.md, unless -only or -clients leaves something out.
set -euo pipefail
cd "$(dirname "$0")/../bench"
export GOWORK=off

mode="${1:-quick}"
shift || true

if [ "$mode" = allocs ]; then
    mkdir -p bin
    go build -o bin/allocs ./allocs
    exec bin/allocs
fi

if [ "$mode" = stores ]; then
    cd ../contrib/redis
    exec go test -run '^$' -bench . -benchtime "${BENCHTIME:-2s}" .
fi

mkdir -p bin/stripped
echo "building..." >&2
go build -o bin ./peerserver ./orchestrate ./cmd/...
ulimit -n "$(ulimit -Hn)" || true # 1,000 clients and their connections

# options is how the page says that it was written, if not by make.
options=
if [ $# -gt 0 ]; then options="scripts/bench.sh $mode $*"; fi

# partial is whether only some cells or clients are measured: that leaves no page.
partial=
for option in "$@"; do
    case "$option" in -only* | --only* | -clients* | --clients* | -list* | --list* | -help* | --help* | -h) partial=yes ;; esac
done

# Each kind of run keeps its own records, so that a quick one leaves the full one's.
results=results/$mode

# policies measures what the wrappers around every call cost, and a cached list in
# memory and in Redis, for the page.
policies() {
    echo "policies and stores..." >&2
    {
        (cd .. && go test -run '^$' -bench 'IdlePolicies|CacheHit|PinnedList' -benchmem -benchtime 200ms ./transporters/policy | grep '^Benchmark')
        if command -v redis-server >/dev/null || command -v valkey-server >/dev/null; then
            (cd ../contrib/redis && go test -run '^$' -bench 'CachedToolsList' -benchmem -benchtime 200ms . | grep '^Benchmark')
        fi
    } >"$results/policies.txt"
}

# page writes docs/performance.md and its pictures from what the last run left.
page() {
    bin/orchestrate -results "$results" -render -page ../docs/performance.md
}

case "$mode" in
quick)
    bin/orchestrate -results "$results" -command "${options:-make bench}" "$@"
    if [ -z "$partial" ]; then
        policies
        page
    fi
    ;;
full)
    for cold in cmd/cold-*; do
        go build -ldflags='-s -w' -o bin/stripped "./$cold"
    done
    bin/orchestrate -results "$results" -full -budget 22m -patience 10s -command "${options:-make bench-full}" "$@"
    if [ -z "$partial" ]; then
        echo "profiles of the goals that were not reached..." >&2
        bin/orchestrate -results "$results" -profile-unreached
        policies
        page
    fi
    ;;
page)
    results=results/${1:-full}
    page
    ;;
profile)
    exec bin/orchestrate -full -profile "$@"
    ;;
*)
    echo "usage: bench.sh quick|full|page|allocs|stores|profile [OPTION...]" >&2
    exit 2
    ;;
esac
