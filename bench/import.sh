#!/usr/bin/env bash
# Times `idem import` of a day's two CSV files, joins and provenance included,
# against DuckDB (npm's @duckdb/node-api), which loads the same files into its own
# database and joins nothing. The best of several runs counts.
#
#   bench/import.sh [requests] [runs]        default 1000000 3
set -euo pipefail
cd "$(dirname "$0")/.."
requests=${1:-1000000} runs=${2:-3}
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${GO:-go}" build -o "$tmp/idem" .
"${GO:-go}" build -o "$tmp/day" ./bench/day
"$tmp/day" -out "$tmp/idem.db" -requests "$requests" -keys $((requests * 9 / 10)) -accounts 1000
sqlite3 -readonly -csv -header "$tmp/idem.db" "SELECT seq, received_at, client_id, endpoint, idem_key, body, duration_ms, status, method, node, attempts FROM req_log" >"$tmp/requests.csv"
sqlite3 -readonly -csv -header "$tmp/idem.db" "SELECT transfer_id, seq, idem_key, src, dst, amount AS amount_minor, currency, created_at FROM transfer_v1" >"$tmp/transfers.csv"
rm "$tmp/idem.db"
peer=${DUCKDB_MODULES:-$tmp/node}
if [ ! -d "$peer/node_modules/@duckdb" ]; then
  mkdir -p "$peer"
  npm install --silent --no-audit --no-fund --prefix "$peer" @duckdb/node-api >&2
fi

# seconds runs a command and prints the wall time it took, in milliseconds.
seconds() {
  local start end
  start=$(date +%s%N)
  "$@" >"$tmp/answer"
  end=$(date +%s%N)
  echo $(((end - start) / 1000000))
}
least() { sort -n "$1" | head -1; }

for _ in $(seq "$runs"); do
  rm -f "$tmp/duck.db"*
  seconds node bench/import_peer.mjs "$peer" "$tmp/duck.db" "$tmp/requests.csv" "$tmp/transfers.csv" >>"$tmp/peer.ms"
  [ "$(cat "$tmp/answer")" = $((requests * 2)) ] || { echo "DuckDB read $(cat "$tmp/answer") rows" >&2; exit 1; }
  seconds /usr/bin/time -f '%M' -o "$tmp/peak" "$tmp/idem" import --requests "$tmp/requests.csv" --transfers "$tmp/transfers.csv" --out "$tmp/out.db" --force >>"$tmp/ours.ms"
  grep -q "^joined *$requests by request id, certain" "$tmp/answer" || { cat "$tmp/answer" >&2; exit 1; }
done
ours=$(least "$tmp/ours.ms") theirs=$(least "$tmp/peer.ms")
echo "import: $requests + $requests rows in $ours ms, DuckDB in $theirs ms, ratio $(awk "BEGIN{printf \"%.2f\", $ours / $theirs}"), peak $(awk '{printf "%d", $1 / 1024}' "$tmp/peak") MB"
"${GO:-go}" test ./analysis/ingest -run xxx -bench Parse | awk '/^BenchmarkParse/ {print "parse: " $1 " " $(NF-1) " MB a second of processor time"}'
