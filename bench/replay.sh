#!/usr/bin/env bash
# Requests per second of the replay of a day into day.db, beside a plain script
# that commits claim and completion of each request of the same day.
#
#   bench/replay.sh [requests] [runs]        default 1000000 3
set -euo pipefail
cd "$(dirname "$0")/.."
requests=${1:-1000000} runs=${2:-3}
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${GO:-go}" build -o "$tmp/day" ./bench/day
"${GO:-go}" build -o "$tmp/replay" ./bench/replay
"$tmp/day" -out "$tmp/idem.db" -requests "$requests" -keys $((requests * 9 / 10))

for _ in $(seq "$runs"); do
  "$tmp/replay" "$tmp/idem.db" >>"$tmp/ours"
  python3 bench/replay_peer.py "$tmp/idem.db" "$requests" >>"$tmp/peer"
done
most() { sort -rn "$1" | head -1; }
ours=$(most "$tmp/ours") peer=$(most "$tmp/peer")
echo "replay: $requests requests at ${ours%% *}/s, at most ${ours##*, }, the script at ${peer%% *}/s, ratio $(awk "BEGIN{printf \"%.1f\", ${ours%% *} / ${peer%% *}}")"
