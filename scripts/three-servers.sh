#!/usr/bin/env bash
# Three servers on one Postgres, killed, stopped beyond their leases and deprived
# of the database while clients retry: nobody is paid twice and no answer
# changes. Then the same with the fence taken out, which must be noticed.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
exec go test -count=1 -v -timeout 5m ./engine/payments/fleet "$@"
