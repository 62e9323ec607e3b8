#!/usr/bin/env bash
# Mutation testing: gremlins finds what can be changed in the code, trust/mutate
# makes each change, and a test must notice. The codec and the event-stream reader
# may keep no change unnoticed, the others 1 of 20; what no test can notice is
# listed, with the reason, in trust/mutate/accepted.tsv. It takes a quarter of an
# hour.
#
#   scripts/mutation.sh [-markdown FILE] [FOLDER ...]
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off
gremlins_version=v0.6.0

markdown=/dev/null
if [ "${1:-}" = -markdown ]; then
    markdown=$2
    shift 2
fi
strict=(internal/jsonscan internal/jsonrpc internal/sse)
others=(transporters/supervise config)
if [ $# -gt 0 ]; then
    strict=("$@")
    others=()
fi

mkdir -p bin
[ -x "bin/gremlins-$gremlins_version" ] || {
    GOBIN=$(pwd)/bin go install "github.com/go-gremlins/gremlins/cmd/gremlins@$gremlins_version"
    mv bin/gremlins "bin/gremlins-$gremlins_version"
}
(cd trust && go build -o ../bin/mutate ./mutate)

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
: >"$markdown"
passed=0 failed=0 status=0
judge() { # FLOOR FOLDER ...
    local floor=$1 folder arguments=()
    shift
    for folder in "$@"; do
        "bin/gremlins-$gremlins_version" unleash "./$folder" --dry-run --silent \
            --invert-assignments --invert-bitwise --invert-bwassign --invert-logical --invert-loopctrl --remove-self-assignments \
            --output "$results/${folder//\//_}.json" >&2
        arguments+=("$folder=$results/${folder//\//_}.json")
    done
    bin/mutate -accepted trust/mutate/accepted.tsv -floor "$floor" -markdown "$results/table" "${arguments[@]}" >"$results/printed" || status=1
    cat "$results/table" >>"$markdown"
    echo >>"$markdown"
    sed '$d' "$results/printed"
    read -r p _ f _ < <(tail -n 1 "$results/printed")
    passed=$((passed + p)) failed=$((failed + f))
}
judge 100 "${strict[@]}"
[ ${#others[@]} = 0 ] || judge 95 "${others[@]}"
echo "$passed passed, $failed failed"
exit $status
