#!/bin/sh
# A client that does its work and then exits with 1. No run may pass with it but
# those of the eight scenarios in which the suite allows a client to fail.
"$(dirname "$0")/../../bin/conformance-client" "$@"
exit 1
