#!/usr/bin/env bash
# Sets up what the tests need and runs all of them. On a new machine with Go it
# installs the rest itself (Debian's postgresql, tmux, gcc for the race
# detector); Postgres is started by the tests, in a temporary folder, on a
# socket only.
set -euo pipefail
cd "$(dirname "$0")/.."

need() { # need COMMAND-OR-FILE PACKAGE
	command -v "$1" >/dev/null 2>&1 || compgen -G "$1" >/dev/null || missing+=("$2")
}
missing=()
need tmux tmux
need '/usr/lib/postgresql/*/bin/initdb' postgresql
need sqlite3 sqlite3
need gcc gcc
need strace strace
if ((${#missing[@]})); then
	echo "installing ${missing[*]}"
	sudo=""
	[ "$(id -u)" = 0 ] || sudo=sudo
	export DEBIAN_FRONTEND=noninteractive
	$sudo apt-get update -q >/dev/null
	$sudo apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null
fi

unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
	echo "not gofmt-ed: $unformatted" >&2
	exit 1
fi
# The same random cases in each run, so that a red run is the change's own doing.
# make fuzz, proof and soak go where no run has been; RAPID_SEED=0 does so here.
export RAPID_SEED="${RAPID_SEED:-1}"
go vet ./...
CGO_ENABLED=0 go build -o /dev/null .
CGO_ENABLED=0 go test ./...
CGO_ENABLED=1 go test -race -short ./engine/... ./analysis/replay/...
