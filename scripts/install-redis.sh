#!/usr/bin/env bash
# Installs redis-server (or valkey-server) from Debian's packages, for the tests of
# contrib/redis and examples/webapp, which start and end servers of their own on
# loopback. Nothing runs afterwards. It needs root.
set -euo pipefail

if command -v redis-server >/dev/null || command -v valkey-server >/dev/null; then
    exit 0
fi
# Where there is an init system, a package must not start its service.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends redis-server ||
    apt-get install -y -qq --no-install-recommends valkey-server
