#!/usr/bin/env bash
# Times `idem api` as a whole process on a fresh database: the median of many.
#
#   bench/api.sh [runs]        default 50
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-50}
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${GO:-go}" build -o "$tmp/idem" .
echo '{"client_id":"c","endpoint":"/t","idem_key":"k","body":{"src":"a","dst":"b","amount":1,"currency":"KRW"}}' >"$tmp/request.json"
for i in $(seq "$runs"); do
  sqlite3 "$tmp/$i.db" "CREATE TABLE account (acct_id TEXT PRIMARY KEY, holder TEXT, balance INTEGER); INSERT INTO account VALUES ('a', '', 10), ('b', '', 0)"
  start=$(date +%s%N)
  "$tmp/idem" api --db "$tmp/$i.db" --request "$tmp/request.json" >/dev/null
  echo $((($(date +%s%N) - start) / 1000)) >>"$tmp/us"
done
echo "api: a fresh database and one payment in $(sort -n "$tmp/us" | sed -n "$((runs / 2))p") us (median of $runs processes)"
