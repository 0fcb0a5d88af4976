#!/usr/bin/env bash
# Makes the README's pictures from the real screen, in a tmux of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'tmux -L idem-shot kill-server 2>/dev/null || true; rm -rf "$tmp"' EXIT
CGO_ENABLED=0 go build -o "$tmp/idem" .
CGO_ENABLED=0 go build -o "$tmp/shot" ./scripts/shot
"$tmp/idem" gen --out "$tmp/incident.db"
w=100 h=30
tmux -L idem-shot -f /dev/null new-session -d -x $w -y $h \
  "cd $tmp && COLORTERM=truecolor TERM=xterm-256color ./idem incident.db"
shot() { sleep 1.5; tmux -L idem-shot capture-pane -ep | "$tmp/shot" $w $h >"docs/$1.svg"; }
shot incident
tmux -L idem-shot send-keys 2 G
shot replay
tmux -L idem-shot send-keys q q
