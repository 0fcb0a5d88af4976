#!/usr/bin/env bash
# Proves the same for hours: each round kills payments and replays and draws
# random histories by a seed of its own, and prints its line. The first failure
# ends it with the seed that repeats it.
#
#   SOAK_HOURS  how long (8)    SOAK_SEED  the first seed (1)
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
seed=${SOAK_SEED:-1} first=${SOAK_SEED:-1}
until=$((SECONDS + $(awk "BEGIN {print int(${SOAK_HOURS:-8} * 3600)}")))
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
go build -trimpath -o "$tmp/idem" .
go build -o "$tmp/kills" ./proof/kills
go test -c -o "$tmp/memstore.test" ./engine/memstore
go test -c -o "$tmp/sqlitestore.test" ./engine/sqlitestore
cd "$tmp"
killed=0 histories=0
while ((SECONDS < until)); do
	for store in memstore sqlitestore; do
		if ! "./$store.test" -test.run '^Test(Store|Live|Bulk)$/^model$' -test.v -rapid.checks=3000 -rapid.seed="$seed" >out 2>&1; then
			cat out
			echo "soak: failed; repeat with: go test ./engine/$store -run model -rapid.seed=$seed" >&2
			exit 1
		fi
		histories=$((histories + $(grep -oE 'passed [0-9]+' out | awk '{n += $2} END {print n + 0}')))
	done
	./kills -idem ./idem -seed "$seed" -api 300 -replay 40 | tee out
	killed=$((killed + $(grep -oE '[0-9]+ were killed' out | awk '{n += $1} END {print n}')))
	seed=$((seed + 1))
done
echo "soak: seeds $first to $((seed - 1)), $killed processes killed, $histories histories, no failure:" \
	"at 95 % fewer than $(awk "BEGIN {printf \"%.5f\", 3 / ($killed > 0 ? $killed : 1)}") of the kills end badly"
