#!/usr/bin/env bash
# Measures the workbench on a pseudo terminal: first screen, keys, bytes a frame,
# full speed, seeks, memory, CPU. Where lnav is installed (Debian's package), it
# opens the same requests as JSON lines in the same run.
#
#   bench/app.sh [requests...]        default 120 100000 1000000
#   IDEM_BENCH_LARGE=1                10000000 as well: minutes, and 8 GB of disk
set -euo pipefail
cd "$(dirname "$0")/.."
days=("$@")
if ((${#days[@]} == 0)); then
  days=(120 100000 1000000)
  [ -z "${IDEM_BENCH_LARGE:-}" ] || days+=(10000000)
fi
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${GO:-go}" build -o "$tmp/day" ./bench/day
"${GO:-go}" build -o "$tmp/app" ./bench/app
"${GO:-go}" build -o "$tmp/idem" .
mkdir -p "$tmp/lnav/formats/requests"
cp bench/app/lnav.json "$tmp/lnav/formats/requests/requests.json"
export HOME="$tmp"

for requests in "${days[@]}"; do
  keys=$((requests * 9 / 10))
  [ "$requests" -ne 120 ] || keys=100
  "$tmp/day" -out "$tmp/idem.db" -requests "$requests" -keys "$keys" -force
  beside=()
  if lnav=$(command -v lnav); then
    sqlite3 -readonly "$tmp/idem.db" "SELECT json_object('seq', seq, 'received_at', received_at, 'client_id', client_id, 'endpoint', endpoint,
      'idem_key', idem_key, 'status', status, 'body', body) FROM req_log ORDER BY seq" >"$tmp/log.jsonl"
    beside=(-lnav "$lnav" -log "$tmp/log.jsonl" -formats "$tmp/lnav")
  fi
  echo "workbench on $requests requests:"
  "$tmp/app" -idem "$tmp/idem" -day "$tmp/idem.db" -requests "$requests" "${beside[@]}"
done
