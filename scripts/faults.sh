#!/usr/bin/env bash
# Hostile servers and faulty networks: see trust/faults. About a minute.
#
#   scripts/faults.sh [-markdown FILE]
set -euo pipefail
cd "$(dirname "$0")/.."
exec ./scripts/tally.sh "$@" trust ./faults
