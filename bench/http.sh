#!/usr/bin/env bash
# What the idempotency layer costs: a handler bare and behind it, with a fresh key
# in each request and with one key in all, on the store in memory, beside another
# middleware; what commits that are shared gain on SQLite with synchronous=FULL;
# and allocations.
#
#   bench/http.sh [rounds] [requests]        default 9 10000
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-9} requests=${2:-10000} go=${GO:-go}
export CGO_ENABLED=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

(cd bench/peers && "$go" build -o "$tmp/http" ./http)
"$tmp/http" -rounds "$rounds" -requests "$requests"

# Both ways in turn; 64 clients on two processors. The median of each counts.
"$go" test -c -o "$tmp/sqlitestore.test" ./engine/sqlitestore
for _ in 1 2 3; do
  "$tmp/sqlitestore.test" -test.run '^$' -test.cpu 2 -test.bench GroupCommit -test.benchtime 3000x
done | awk '
  /^BenchmarkGroupCommit/ { split($1, name, /[\/-]/); figure[name[2], ++n[name[2]]] = $(NF-1) }
  function median(of,  a, b, c, t) {
    a = figure[of, 1]; b = figure[of, 2]; c = figure[of, 3]
    if (a > b) { t = a; a = b; b = t }
    return c < a ? a : (c > b ? b : c)
  }
  END { printf "sqlite: 64 clients, synchronous=FULL: %.0f requests/s; one commit a claim and one a completion: %.0f; ratio %.1f\n",
        median("together"), median("one"), median("together") / median("one") }'

# The bare row is what the test itself allocates.
"$go" test -run '^$' -bench Layer -benchtime 20000x -benchmem ./engine/httpidem |
  awk '/^Benchmark/ { split($1, name, /[\/-]/); printf "allocations: the layer on the store in memory, %-9s %4d a request, %5d bytes\n", name[2], $7, $5 }'
for bench in memstore:Store sqlitestore:Store/live; do
  "$go" test -run '^$' -bench "${bench#*:}/(claim|replay|mismatch)\$" -benchtime 3000x -benchmem "./engine/${bench%:*}" |
    awk -v store="${bench%:*}" '/^Benchmark/ { n = split($1, name, /[\/-]/); printf "allocations: %s, %-9s %4d a call, %5d bytes\n", store, name[n-1], $7, $5 }'
done
