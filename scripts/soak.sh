#!/usr/bin/env bash
# Proves the same for hours: each round simulates schedules, cuts the power, kills
# payments and replays and draws random histories, by a seed of its own. The first
# failure ends it and says how to repeat it. After each round SOAK_OUT has the
# summary, a line "name: value" for each figure, so that a soak may be ended at
# any time.
#
#   SOAK_HOURS  how long (8)    SOAK_SEED  the first seed (1)
#   SOAK_OUT    the summary (soak.txt)
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/tools.sh
export CGO_ENABLED=0 GOGC=400
seed=${SOAK_SEED:-1} first=${SOAK_SEED:-1}
out=$(realpath "${SOAK_OUT:-soak.txt}") root=$PWD
began=$(date -u +%FT%TZ) commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown) go=$(go env GOVERSION)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
go build -trimpath -o "$tmp/idem" .
go build -trimpath -tags faults -o "$tmp/faulty" .
go build -o "$tmp/kills" ./proof/kills
go build -o "$tmp/powercut" ./proof/powercut
go build -o "$tmp/iofaults" ./proof/iofaults
go test -tags faults -c -o "$tmp/simulate.test" ./proof/simulate
go test -c -o "$tmp/memstore.test" ./engine/memstore
go test -c -o "$tmp/sqlitestore.test" ./engine/sqlitestore
cd "$tmp"
killed=0 histories=0 schedules=0 cuts=0 faults=0

failed() { # failed COMMAND...: shows what a round ended with, and how to repeat it
	cat last
	echo "soak: failed; repeat with: $*" >&2
	[ -e "$out" ] && sed -i 's/^failures: 0/failures: 1/' "$out"
	echo "failed: $*" >>"$out"
	exit 1
}
sum() { # sum WORDS: the sum of the numbers before them
	{ grep -oE "[0-9]+ $1" last || true; } | awk '{n += $1} END {print n + 0}'
}
bound() { # bound N: what no failure in N independent runs says
	awk "BEGIN {printf \"%.2g\", 3 / ($1 > 0 ? $1 : 1)}"
}
summary() {
	cat <<-END
		began: $began
		ended: $(date -u +%FT%TZ)
		commit: $commit
		go: $go
		machine: $(uname -sm), $(nproc) cores
		command: SOAK_SEED=$first scripts/soak.sh
		seeds: $first to $seed
		schedules: $schedules
		power cuts: $cuts
		kills: $killed
		system calls that failed: $faults
		histories: $histories
		failures: 0
		at 95 % fewer than: $(bound "$schedules") of schedules, $(bound "$cuts") of power cuts, $(bound "$killed") of kills and $(bound "$histories") of histories end badly
	END
}

until=$((SECONDS + $(awk "BEGIN {print int(${SOAK_HOURS:-8} * 3600)}")))
while :; do
	worlds=$((seed * 1000000))
	SIMULATE_FIRST=$worlds SIMULATE_WORLDS=1000 ./simulate.test -test.run '^TestSchedules$' -test.v -test.timeout 0 >last 2>&1 ||
		failed "SIMULATE_FIRST=$worlds SIMULATE_WORLDS=1000 go test -tags faults -run TestSchedules ./proof/simulate"
	grep -oE 'simulate: .*' last
	schedules=$((schedules + $(sum 'schedules hold')))
	./powercut -idem ./idem -samples "$root/analysis/ingest/testdata/csv" -seed "$seed" -cuts 900 >last 2>&1 || failed "go run ./proof/powercut -seed $seed -cuts 900"
	cat last
	cuts=$((cuts + $(sum 'power cuts')))
	./iofaults -idem ./idem -seed "$seed" -sample 3 >last 2>&1 || failed "go run ./proof/iofaults -seed $seed -sample 3"
	tail -n 1 last
	faults=$((faults + $(tail -n 1 last | grep -oE '[0-9]+ faults fired' | grep -oE '[0-9]+')))
	for store in memstore sqlitestore; do
		"./$store.test" -test.run '^Test(Store|Live|Bulk)$/^model$' -test.v -rapid.checks=3000 -rapid.seed="$seed" >last 2>&1 ||
			failed "go test ./engine/$store -run model -rapid.seed=$seed"
		histories=$((histories + $(grep -oE 'passed [0-9]+' last | awk '{n += $2} END {print n + 0}')))
	done
	./kills -idem ./idem -faulty ./faulty -seed "$seed" -api 1000 -replay 40 -app 8 -files 40 -server 1000 -fleet 300 -stop 100 >last 2>&1 || failed "go run ./proof/kills -seed $seed -api 1000 -replay 40 -app 8 -files 40 -server 1000 -fleet 300 -stop 100"
	cat last
	killed=$((killed + $(sum 'were killed')))
	summary >"$out"
	((SECONDS < until)) || break
	seed=$((seed + 1))
done
echo "soak: $(tr '\n' ';' <"$out")"
