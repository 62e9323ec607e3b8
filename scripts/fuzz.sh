#!/usr/bin/env bash
# Runs every fuzz target of the core module for a while: 20 seconds each, or
# FUZZ_TIME. What it finds go keeps in the package's testdata, to be committed.
#
#   scripts/fuzz.sh [-markdown FILE]
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off
time=${FUZZ_TIME:-20s}

markdown=/dev/null
if [ "${1:-}" = -markdown ]; then
    markdown=$(realpath "$2")
fi
# targets are FILE:TARGET of each; go list leaves the other modules out.
targets() {
    go list -f '{{.Dir}}' ./... | while IFS= read -r folder; do
        grep -soHE '^func Fuzz\w+' ".${folder#"$PWD"}"/*_test.go || true
    done | sed 's/:func /:/' | sort
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0
printf '| target | result |\n|---|---|\n' >"$markdown"
while IFS=: read -r file target; do
    folder=$(dirname "$file")
    name=${folder#./}.$target
    if go test "$folder" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -parallel 2 >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "| \`$name\` | passed |" | tee -a "$markdown"
    else
        failed=$((failed + 1))
        echo "| \`$name\` | FAILED |" | tee -a "$markdown"
        tail -n 40 "$log"
    fi
done < <(targets)
echo "$passed passed, $failed failed"
[ $failed = 0 ]
