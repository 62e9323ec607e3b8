#!/usr/bin/env bash
# Runs everything that takes long, and writes docs/trust.md from what it prints:
# the referees, spot checks, hostile servers, models, fuzzing, mutation, the supply
# chain, the soak. It takes more than an hour on two cores, and ends with
# "N passed, N failed". The bench is not run: its page is docs/performance.md, written
# by make bench-full.
#
#   ONLY="faults models" scripts/trust.sh    runs these; the other sections of the
#                                            page stay as they are
set -euo pipefail
cd "$(dirname "$0")/.."

# name, title, command
sections() {
    cat <<'SECTIONS'
conformance|The official conformance suite|./scripts/conformance.sh -markdown TABLE
field|Cases from public bug reports|./scripts/field.sh -markdown TABLE
peers|Servers that others wrote|./scripts/peers.sh -markdown TABLE
requirements|Requirements held by tests|./scripts/tally.sh -markdown TABLE . . -run Requirement|ThreatModel
spotcheck|Requirements broken on purpose|./scripts/spotcheck.sh -markdown TABLE
faults|Hostile servers and faulty networks|./scripts/tally.sh -markdown TABLE trust ./faults
models|Models against random histories|./scripts/tally.sh -markdown TABLE trust ./models -rapid.checks=20000
soak|Servers that die under many callers|./scripts/tally.sh -markdown TABLE . -race ./chaos ./soak
day|A day in the life|./scripts/day.sh -markdown TABLE
fuzz|Fuzzing|./scripts/fuzz.sh -markdown TABLE
supply|Supply chain and API|./scripts/supply.sh -markdown TABLE
mutation|Mutation testing|./scripts/mutation.sh -markdown TABLE
SECTIONS
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
while IFS='|' read -r name title command; do
    section=$work/$name.section
    if [ -n "${ONLY:-}" ] && [[ " $ONLY " != *" $name "* ]]; then
        # The section as it stands.
        awk -v title="## $title" '/^## /{on = $0 == title} on' docs/trust.md | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$section"
        continue
    fi
    echo "== $title"
    table=$work/$name.md
    : >"$table"
    status=0
    ${command/TABLE/$table} >"$work/$name.log" 2>&1 </dev/null || status=$?
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$work/$name.log" | tail -n 1 || true)
    if [ $status != 0 ]; then
        tail -n 60 "$work/$name.log"
        # What failed without a count has failed all the same.
        [[ "$last" == *" 0 failed"* || -z "$last" ]] && failed=$((failed + 1))
    fi
    if [ -n "$last" ]; then
        read -r p _ f _ <<<"$last"
        passed=$((passed + p)) failed=$((failed + f))
    fi
    echo "${last:-it did not end}"
    {
        echo "## $title"
        echo
        echo "\`make $name\`: ${last:-it did not end}"
        echo
        grep -v '^# ' "$table" || true
    } >"$section"
done < <(sections)

{
    echo "# What others say of this client, and what was done to it"
    echo
    echo "This page is written by \`make trust\` from what is printed; nothing in it is written by hand."
    echo "Which test holds which requirement is in [coverage.md](coverage.md), what a malicious server can and cannot do in [SECURITY.md](../SECURITY.md)."
    while IFS='|' read -r name _; do
        if [ -s "$work/$name.section" ]; then
            echo
            cat "$work/$name.section"
        fi
    done < <(sections)
    echo
    echo "## Speed"
    echo
    echo "See [performance.md](performance.md), written by \`make bench-full\`."
} | cat -s >"$work/page"
cp "$work/page" docs/trust.md
echo "$passed passed, $failed failed"
[ $failed = 0 ]
