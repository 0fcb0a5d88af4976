# Sourced by test.sh, proof.sh and soak.sh: what they need besides Go. On a new
# machine it installs Debian's packages itself; Postgres is started by the tests,
# in a temporary folder, on a socket only.

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
