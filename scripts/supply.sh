#!/usr/bin/env bash
# What a user takes over with the module: no known vulnerability, licences, API,
# builds for every system, and a command that comes out the same wherever it is
# built.
#
#   scripts/supply.sh [-markdown FILE]
#
# The vulnerability database is vuln.go.dev, or GOVULNDB, say file:///DIR after
#
#   go run golang.org/x/vulndb/cmd/indexdb@latest -vulns CHECKOUT/data/osv -out DIR
#
# with a checkout of github.com/golang/vulndb. Where it cannot be reached that check
# is left out by name; REQUIRE_ALL=1 makes this a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off CGO_ENABLED=0
govulncheck_version=v1.9.0

markdown=/dev/null
if [ "${1:-}" = -markdown ]; then
    markdown=$(realpath "$2")
fi
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
passed=0 failed=0
{
    echo "| check | result |"
    echo "|---|---|"
} >"$markdown"
note() { echo "| $1 | $2 |" | tee -a "$markdown"; }
check() { # NAME COMMAND ...
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
        note "$name" passed
    else
        failed=$((failed + 1))
        note "$name" FAILED
        tail -n 40 "$work/log"
    fi
}

in_trust() { (cd trust && go test -count=1 ./supply -run "$1"); }
check "nothing exported has vanished" in_trust 'API|Exported'
check "licences are known and listed" in_trust Licences

for system in linux darwin windows; do
    for machine in amd64 arm64; do
        check "builds for $system/$machine" env GOOS=$system GOARCH=$machine go build ./...
    done
done

# Twice, in folders and caches of their own.
same_binary() {
    for copy in one "another folder"; do
        mkdir -p "$work/$copy"
        tar --exclude=./.git --exclude=node_modules --exclude=./bin -cf - . | tar -xf - -C "$work/$copy"
        (cd "$work/$copy" && GOCACHE="$work/cache of $copy" go build -trimpath -buildvcs=false -o "$work/$copy.bin" ./cmd/mcpclient) || return 1
    done
    cmp "$work/one.bin" "$work/another folder.bin" && ! grep -qF "$work" "$work/one.bin"
}
check "the command is the same, built twice" same_binary

# What each module calls of what is known to be faulty.
mkdir -p bin
modules() {
    find . \( -name node_modules -o -path ./bin \) -prune -o -name go.mod -print | xargs -n1 dirname | sort
}
if GOBIN=$(pwd)/bin go install "golang.org/x/vuln/cmd/govulncheck@$govulncheck_version" >"$work/log" 2>&1; then
    while read -r module; do
        [ -n "$(cd "$module" && go list ./... 2>/dev/null)" ] || continue # tools alone
        name="no known vulnerability in $module"
        status=0
        (cd "$module" && "$OLDPWD/bin/govulncheck" -db "${GOVULNDB:-https://vuln.go.dev}" ./...) >"$work/vulnerabilities" 2>&1 || status=$?
        if [ $status != 0 ] && grep -q "fetching vulnerabilities" "$work/vulnerabilities" && [ -z "${REQUIRE_ALL:-}" ]; then
            note "no known vulnerability" "left out: the database ${GOVULNDB:-https://vuln.go.dev} cannot be reached from here"
            break
        fi
        check "$name" sh -c "cat '$work/vulnerabilities'; exit $status"
    done < <(modules)
else
    check "no known vulnerability (govulncheck cannot be built)" false
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
