#!/usr/bin/env bash
# A day in the life of a web backend (soak/day): the example webapp, five servers,
# users, faults, reloads, tokens that end. It ends with "N passed, N failed". It
# needs Linux and Go.
#
#   DAY=30m       how long the day is; the default
#   DAY_SEED=N    repeats what chance decided
#
#   scripts/day.sh [-markdown FILE]
set -euo pipefail
cd "$(dirname "$0")/.."
markdown=/dev/null
if [ "${1:-}" = -markdown ]; then
    markdown=$(realpath "$2")
fi
export GOWORK=off DAY="${DAY:-30m}"

if [ "$(uname -s)" != Linux ]; then
    echo "the day counts what is left behind in /proc: it needs Linux" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
DAY_TABLE=$work/day go test -count=1 -v -timeout=48h -run TestDay ./soak/day 2>&1 | tee "$work/log" || status=$?
awk '
    $1 == "---" && ($2 == "PASS:" || $2 == "FAIL:") && $3 ~ "/" {
        name = $3; sub("TestDay/", "", name); gsub("_", " ", name)
        print "| " name " | " ($2 == "PASS:" ? "passed" : "FAILED") " |"
        if ($2 == "PASS:") good++; else bad++
    }
    END { print good + 0 " passed, " bad + 0 " failed" }' "$work/log" >"$work/results"
{
    cat "$work/day" 2>/dev/null || true
    echo
    echo "| asserted | result |"
    echo "|---|---|"
    grep '^|' "$work/results" || true
} >"$markdown"
if [ $status != 0 ] && grep -q ' 0 failed$' "$work/results"; then
    echo "1 failed: it did not come to the end"
else
    tail -n 1 "$work/results"
fi
exit $status
