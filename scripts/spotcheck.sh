#!/usr/bin/env bash
# Breaks what holds requirements chosen by chance (trust/spotcheck/list.txt), and
# looks whether the test that says so fails: a few minutes.
#
#   scripts/spotcheck.sh [-markdown FILE]
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off
mkdir -p bin
(cd trust && go build -o ../bin/spotcheck ./spotcheck)
exec bin/spotcheck -list trust/spotcheck/list.txt "$@"
