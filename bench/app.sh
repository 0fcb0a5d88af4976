#!/usr/bin/env bash
# Measures the workbench on a pseudo terminal: first screen, keys, bytes a frame,
# full speed, files, seeks, memory, CPU. Where lnav is installed (Debian's package),
# it opens the same requests as JSON lines in the same run. The figures go to
# stdout, how far it is to stderr. A day that fails does not stop the others.
#
#   bench/app.sh [requests...]        default 120 100000 1000000
#   bench/app.sh 120 100000 10000000  ten minutes more, and 21 GB in TMPDIR
set -euo pipefail
cd "$(dirname "$0")/.."
days=("$@")
((${#days[@]})) || days=(120 100000 1000000)
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${GO:-go}" build -o "$tmp/day" ./bench/day
"${GO:-go}" build -o "$tmp/app" ./bench/app
"${GO:-go}" build -o "$tmp/idem" .
mkdir -p "$tmp/lnav/formats/requests"
cp bench/app/lnav.json "$tmp/lnav/formats/requests/requests.json"
export HOME="$tmp" TMPDIR="$tmp"

say() { echo "$(date +%T) $*" >&2; }

measure() { # of a day of $1 requests
  local requests=$1 keys=$(($1 * 9 / 10)) beside=() lnav
  [ "$requests" -ne 120 ] || keys=100
  local need=$((requests * 21 / 10000 + 100)) free
  free=$(df -m --output=avail "$tmp" | tail -n 1)
  if ((free < need)); then
    say "$requests requests need $need MB in ${tmp%/*}, where $free are free; TMPDIR names another place"
    return 1
  fi
  say "making $requests requests"
  "$tmp/day" -out "$tmp/idem.db" -requests "$requests" -keys "$keys" -force || return
  if lnav=$(command -v lnav) && command -v sqlite3 >/dev/null; then
    sqlite3 -readonly "$tmp/idem.db" "SELECT json_object('seq', seq, 'received_at', received_at, 'client_id', client_id, 'endpoint', endpoint,
      'idem_key', idem_key, 'status', status, 'body', body) FROM req_log ORDER BY seq" >"$tmp/log.jsonl" || return
    beside=(-lnav "$lnav" -log "$tmp/log.jsonl" -formats "$tmp/lnav")
  fi
  say "measuring"
  echo "workbench on $requests requests:"
  "$tmp/app" -idem "$tmp/idem" -day "$tmp/idem.db" -requests "$requests" "${beside[@]}"
}

failed=0
for requests in "${days[@]}"; do
  measure "$requests" || { say "the day of $requests requests failed"; failed=1; }
  rm -rf "$tmp"/idem.db "$tmp"/log.jsonl "$tmp"/idem-*
done
exit $failed
