#!/usr/bin/env bash
# Times the duplicate analysis of a generated day against the sqlite3 shell,
# which runs bench/analyze.sql on the same file. Both run in turn, several
# times; the best time of each counts, as what disturbs a run only adds to it.
#
#   bench/analyze.sh [requests] [runs]        default 1000000 5
set -euo pipefail
cd "$(dirname "$0")/.."
requests=${1:-1000000} runs=${2:-5}
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${GO:-go}" build -o "$tmp/day" ./bench/day
"${GO:-go}" build -o "$tmp/duplicates" ./bench/duplicates
"$tmp/day" -out "$tmp/idem.db" -requests "$requests" -keys $((requests * 9 / 10))

# seconds runs a command and prints the wall time it took; its answer goes to a file.
seconds() {
  local out=$1 start end
  shift
  start=$(date +%s%N)
  "$@" >"$out"
  end=$(date +%s%N)
  echo $(((end - start) / 1000000))
}
least() { sort -n "$1" | head -1; }

for _ in $(seq "$runs"); do
  seconds "$tmp/ours.txt" "$tmp/duplicates" "$tmp/idem.db" >>"$tmp/ours.ms"
  seconds "$tmp/shell.txt" sqlite3 -readonly "$tmp/idem.db" ".read bench/analyze.sql" >>"$tmp/shell.ms"
done
[ "$(cut -d' ' -f1,2 "$tmp/ours.txt" | tr ' ' '|')" = "$(cat "$tmp/shell.txt")" ] ||
  { echo "the answers differ: $(cat "$tmp/ours.txt" "$tmp/shell.txt")" >&2; exit 1; }
ours=$(least "$tmp/ours.ms") shell=$(least "$tmp/shell.ms")
echo "analyze: $requests requests in $ours ms, sqlite3 $(sqlite3 -version | cut -d' ' -f1) in $shell ms, ratio $(awk "BEGIN{printf \"%.2f\", $ours / $shell}"), peak $(cut -d' ' -f3 "$tmp/ours.txt") MB"
