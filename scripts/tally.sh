#!/usr/bin/env bash
# Runs tests of a module and ends with "N passed, N failed": each test counts
# that has no tests within it. What failed is shown.
#
#   scripts/tally.sh [-markdown FILE] MODULE [argument of go test ...]
set -euo pipefail
markdown=/dev/null
if [ "${1:-}" = -markdown ]; then
    markdown=$(realpath "$2")
    shift 2
fi
cd "$1"
shift
export GOWORK=off

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
go test -count=1 -timeout=20m -v "$@" >"$log" 2>&1 || status=$?
if [ $status != 0 ]; then
    grep -v -E '^=== |^ *--- PASS' "$log" | head -n 200
fi
awk '
    $1 == "---" && ($2 == "PASS:" || $2 == "FAIL:") { name[++n] = $3; passed[$3] = $2 == "PASS:"
        parent = $3; while (sub("/[^/]*$", "", parent)) inner[parent] = 1 }
    END {
        print "| test | result |\n|---|---|"
        for (i = 1; i <= n; i++) if (!(name[i] in inner)) {
            if (passed[name[i]]) good++; else bad++
            shown = name[i]; gsub("_", " ", shown)
            print "| " shown " | " (passed[name[i]] ? "passed" : "FAILED") " |" | "sort"
        }
        close("sort")
        print good + 0 " passed, " bad + 0 " failed"
    }' "$log" >"$log.table"
grep '^|' "$log.table" >"$markdown" || true
tail -n 1 "$log.table"
rm -f "$log.table"
exit $status
