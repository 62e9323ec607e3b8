#!/usr/bin/env bash
# Fills the corpora that go test runs: of the inputs that fuzzing has found to reach
# something new (go keeps them in its cache) each target gets 12, or KEEP, of at most
# 2 KiB, in even steps from the shortest to the longest. A target that has a corpus
# keeps it as it is. Run scripts/fuzz.sh before.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off
keep=${KEEP:-12}
cache=$(go env GOCACHE)/fuzz

while IFS=: read -r file target; do
    folder=$(dirname "$file")
    corpus=$folder/testdata/fuzz/$target
    found=$cache/$(cd "$folder" && go list .)/$target
    if [ -d "$corpus" ] || [ ! -d "$found" ]; then
        continue
    fi
    mkdir -p "$corpus"
    find "$found" -type f -size -2049c -printf '%s %p\n' | sort -n | awk -v keep="$keep" '
        { path[NR] = $2 }
        END {
            count = NR < keep ? NR : keep
            for (i = 0; i < count; i++) print path[1 + int(i * NR / count)]
        }' | xargs -r -I{} cp {} "$corpus/"
    rmdir --ignore-fail-on-non-empty "$corpus"
    echo "${folder#./}.$target: $(find "$corpus" -type f 2>/dev/null | wc -l)"
done < <(grep -roE '^func Fuzz\w+' --include='*_test.go' --exclude-dir=node_modules . | sed 's/:func /:/' | sort)
