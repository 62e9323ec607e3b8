#!/usr/bin/env bash
# Plays the field cases: field/README.md. It needs Go, and a C compiler for the
# race detector.
#
#   CASES=DIR    another directory of cases (or one case), relative to where this
#                is started
#   PLAYER=BIN   another player
#
# Arguments go to the program field/run.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."

absolute() {
    case $1 in
        /*) echo "$1" ;;
        *) echo "$here/$1" ;;
    esac
}

flags=(-module field -cases field/cases)
if [ -n "${CASES:-}" ]; then
    flags=(-module field -cases "$(absolute "$CASES")")
fi
if [ -n "${PLAYER:-}" ]; then
    flags+=(-player "$(absolute "$PLAYER")")
fi
(cd field && GOWORK=off go build -o ../bin/field-run ./run)
exec bin/field-run "${flags[@]}" "$@"
