#!/usr/bin/env bash
# Everything that is measured, each against its peer in the same run. Needs an
# otherwise idle machine; takes about ten minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")"
for part in analyze replay api app http import; do
  [ ! -e "$part.sh" ] || bash "$part.sh"
done
