#!/usr/bin/env bash
# Runs the referees and writes docs/trust.md: the tables that they print, on one
# page. It takes some minutes. The bench is not run: its page is
# docs/performance.md, written by make bench.
set -euo pipefail
cd "$(dirname "$0")/.."

tables=$(mktemp -d)
trap 'rm -rf "$tables"' EXIT
failed=0
./scripts/conformance.sh -markdown "$tables/conformance.md" | tail -n 1 >"$tables/conformance.last" || failed=1
./scripts/field.sh -markdown "$tables/field.md" | tail -n 1 >"$tables/field.last" || failed=1
./scripts/peers.sh -markdown "$tables/peers.md" | tail -n 1 >"$tables/peers.last" || failed=1

mkdir -p docs
{
    echo "# What others say of this client"
    echo
    echo "This page is written by \`make trust\` from what the referees print; nothing in it is written by hand."
    for referee in "conformance:The official conformance suite" "field:Cases from public bug reports" "peers:Servers that others wrote"; do
        name=${referee%%:*}
        echo
        echo "## ${referee#*:}"
        echo
        echo "\`make $name\`: $(cat "$tables/$name.last")"
        echo
        grep -v '^# ' "$tables/$name.md" || true
    done
    echo
    echo "## Speed"
    echo
    echo "See [performance.md](performance.md), written by \`make bench\`."
} >docs/trust.md
cat "$tables"/*.last
exit $failed
