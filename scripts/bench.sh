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
case "$mode" in
quick)
    exec bin/orchestrate "${page[@]}" -command "make bench" "$@"
    ;;
full)
    for cold in cmd/cold-*; do
        go build -ldflags='-s -w' -o bin/stripped "./$cold"
    done
    exec bin/orchestrate -full -budget 20m -patience 10s "${page[@]}" -command "make bench-full" "$@"
    ;;
profile)
    exec bin/orchestrate -full -profile "$@"
    ;;
*)
    echo "usage: bench.sh quick|full|allocs|profile [OPTION...]" >&2
    exit 2
    ;;
esac
