#!/usr/bin/env bash
# Measures the workbench on a pseudo terminal: first screen, keys, memory, CPU.
#
#   bench/app.sh [requests]        default 1000000
set -euo pipefail
cd "$(dirname "$0")/.."
requests=${1:-1000000}
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${GO:-go}" build -o "$tmp/day" ./bench/day
"${GO:-go}" build -o "$tmp/app" ./bench/app
"${GO:-go}" build -o "$tmp/idem" .
"$tmp/day" -out "$tmp/idem.db" -requests "$requests" -keys $((requests * 9 / 10))
echo "workbench on $requests requests:"
"$tmp/app" "$tmp/idem" "$tmp/idem.db"
