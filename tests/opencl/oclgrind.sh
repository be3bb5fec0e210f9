#!/usr/bin/env bash
# oclgrind.sh OCLGRIND PROGRAM [ARGUMENT...]: runs the program on Oclgrind's device and fails when Oclgrind reports
# anything: accesses out of bounds, data races, wrong API calls. (Not --uninitialized: it knows no images, so that
# whatever a kernel reads from one counts as uninitialised.)

set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"$1" --check-api --data-races --log "$log" "${@:2}" || status=$?
if [ -s "$log" ]; then
  head -n 60 "$log"
  echo "Oclgrind reports the above" >&2
  exit 1
fi
exit "$status"
