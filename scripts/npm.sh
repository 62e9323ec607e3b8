#!/usr/bin/env bash
# Installs the packages of a folder from npm, unless what is installed is newer than
# the lock file. It needs Node and npm.
#
#   scripts/npm.sh FOLDER
set -euo pipefail
cd "$1"

if [ node_modules/.package-lock.json -nt package-lock.json ]; then
    exit 0
fi
echo "installing $1 from npm" >&2
npm ci --no-progress --loglevel=error >/dev/null
touch node_modules/.package-lock.json
