#!/usr/bin/env bash
# Proves what the README promises, within the quarter of an hour: the audit finds
# every kind of damage, a small world holds in every interleaving, simulated
# servers hold under a scheduler that means them harm, the stores agree with the
# model, what clients of troubled servers saw is linearizable, killed processes
# and power cuts lose nothing and pay nothing twice, and every wrong version of
# the program is caught by its test. A part that never came to the dangerous
# places fails. The last line has the counts.
#
#   PROOF_SEED      of the schedules, the histories, the kills and the power cuts (1)
#   PROOF_WORLDS    simulated files, of 25 schedules each (400)
#   PROOF_CUTS      power cuts (600)
#   PROOF_CHECKS    random histories of each store (1000)
#   PROOF_PAYMENTS  payments that are killed (400)
#   PROOF_REPLAYS   replays that are killed (20)
#   PROOF_SERVERS   payment APIs that are killed, each alone on its file (200)
#   PROOF_FAULTS    system calls that fail, of each call and way to fail (1; 0: every one)
#   PROOF_SECONDS   how long servers are troubled (10)
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/tools.sh
export CGO_ENABLED=0
export RAPID_SEED="${PROOF_SEED:-1}"
seed=${PROOF_SEED:-1} checks=${PROOF_CHECKS:-1000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
began=$SECONDS

part() { # part NAME COMMAND...: runs it, and shows its output when it fails
	local name=$1
	shift
	local at=$SECONDS
	if ! "$@" >"$tmp/$name" 2>&1; then
		cat "$tmp/$name"
		echo "proof: $name failed (seed $seed)" >&2
		exit 1
	fi
	echo "$name: $((SECONDS - at)) s"
}
count() { # count NAME PATTERN: the sum of the numbers that stand before a word
	{ grep -oE "[0-9]+ $2" "$tmp/$1" || true; } | awk '{n += $1} END {print n + 0}'
}

go build -trimpath -o "$tmp/idem" .
go build -trimpath -tags faults -o "$tmp/faulty" .
go build -o "$tmp/kills.bin" ./proof/kills
go build -o "$tmp/powercut.bin" ./proof/powercut
go build -o "$tmp/iofaults.bin" ./proof/iofaults
go build -o "$tmp/mutants.bin" ./proof/mutants
# A release has nothing of the fault points, and the other build has them.
nothing_of_faults() {
	! go tool nm "$tmp/idem" | grep 'idem/engine/fault\.' && go tool nm "$tmp/faulty" | grep -q 'idem/engine/fault\.'
}
part release nothing_of_faults
part audit go test -count=1 -v ./analysis/verify
part world go test -count=1 -v ./proof/smallworld
part simulate env SIMULATE_FIRST=$((seed * 1000000)) SIMULATE_WORLDS="${PROOF_WORLDS:-400}" go test -tags faults -count=1 -v ./proof/simulate
# Packages come first: go takes what follows a flag it does not know for the test's.
part model go test ./engine/memstore ./engine/sqlitestore -count=1 -v -run '^Test(Store|Live|Bulk)$/^model$' -rapid.checks="$checks"
part postgres go test ./engine/pgstore -count=1 -v -run '^TestStore$/^model$' -rapid.checks="$((checks / 20))"
part linear env LINEAR_SECONDS="${PROOF_SECONDS:-10}" go test -count=1 -v ./proof/linear
# Its databases are in memory, where there is one: what a disk does to them is for
# powercut, and a slow one keeps a stopped server inside its commit.
memory=$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")
part kills env TMPDIR="$memory" "$tmp/kills.bin" -idem "$tmp/idem" -faulty "$tmp/faulty" -seed "$seed" -api "${PROOF_PAYMENTS:-400}" -replay "${PROOF_REPLAYS:-20}" -server "${PROOF_SERVERS:-200}"
part powercut "$tmp/powercut.bin" -idem "$tmp/idem" -seed "$seed" -cuts "${PROOF_CUTS:-600}"
part iofaults "$tmp/iofaults.bin" -idem "$tmp/idem" -seed "$seed" -sample "${PROOF_FAULTS:-1}"
part canaries go test -count=1 -v ./proof/canaries
part mutants "$tmp/mutants.bin"

states=$(count world states)
histories=$(($(count model tests) + $(count postgres tests)))
if ((states < 100000 || histories < checks)); then
	echo "proof: only $states states and $histories histories were visited" >&2
	exit 1
fi
grep -oE 'linear: .*' "$tmp/linear"
tail -n 1 "$tmp/kills"
tail -n 1 "$tmp/powercut"
tail -n 1 "$tmp/iofaults"
grep -oE 'canaries: .*' "$tmp/canaries"
echo "proof: $states states, $(count simulate 'schedules hold') schedules, $histories histories, $(count powercut 'power cuts') power cuts, $(count kills 'were killed') processes killed, $(tail -n 1 "$tmp/iofaults" | grep -oE '[0-9]+ faults fired' || echo 0 faults fired), $(count kills 'fault points hit') fault points hit, $(count kills audits) audits," \
	"$(tail -n 1 "$tmp/mutants" | sed 's/mutants: \(.*\) caught/\1 mutants caught/'), seed $seed, $((SECONDS - began)) s"
