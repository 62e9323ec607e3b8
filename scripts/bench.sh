#!/usr/bin/env bash
# Measures this client against others; see bench/README.md.
#
#   bench.sh quick [OPTION...]     the main workloads, about 5 minutes
#   bench.sh full [OPTION...]      all workloads, about 20 minutes
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

page=(-page ../docs/performance.md)

# policies appends to the page what the wrappers around every call cost, and a
# cached list in memory and in Redis. Some cells only write no page.
policies() {
    for option in "$@"; do
        case "$option" in -only* | -clients* | -list* | -help*) return ;; esac
    done
    echo "policies and stores..." >&2
    {
        printf '\n## Policies and stores\n\n'
        printf 'What each policy adds to a call of an in-memory transporter while it has nothing to do, a hit of the cache, and a pinned\n'
        printf 'list of 1,000 tools; where redis-server is there, a cached list in memory and through it. By `go test -bench`:\n\n```\n'
        (cd .. && go test -run '^$' -bench 'IdlePolicies|CacheHit|PinnedList' -benchmem -benchtime 200ms ./transporters/policy | grep '^Benchmark')
        if command -v redis-server >/dev/null || command -v valkey-server >/dev/null; then
            (cd ../contrib/redis && go test -run '^$' -bench 'CachedToolsList' -benchmem -benchtime 200ms . | grep '^Benchmark')
        fi
        printf '```\n'
    } >>../docs/performance.md
}

case "$mode" in
quick)
    bin/orchestrate "${page[@]}" -command "make bench" "$@"
    policies "$@"
    ;;
full)
    for cold in cmd/cold-*; do
        go build -ldflags='-s -w' -o bin/stripped "./$cold"
    done
    bin/orchestrate -full -budget 20m -patience 10s "${page[@]}" -command "make bench-full" "$@"
    policies "$@"
    ;;
profile)
    exec bin/orchestrate -full -profile "$@"
    ;;
*)
    echo "usage: bench.sh quick|full|allocs|stores|profile [OPTION...]" >&2
    exit 2
    ;;
esac
