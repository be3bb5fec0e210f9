#!/usr/bin/env bash
# What TensorLane is for, on one screen: a bug found, a wrong number explained, a time. All of it is run here and now.
#
#   scripts/demo_end.sh PREFIX     PREFIX: an installed TensorLane; the programs are built into PREFIX/examples/learn

set -euo pipefail
prefix=$(cd "${1:?PREFIX is missing}" && pwd)
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
[ -n "$bold" ] && green=$'\033[32m' cyan=$'\033[36m' || green='' cyan=''

learn=$prefix/examples/learn
mkdir -p "$prefix/examples"
cp -r examples/learn "$prefix/examples/"
cd "$learn"
make -s P=../.. wrong/okk pingpong/okk  # from here, as make cannot quote a path with blanks

# said STATUS COMMAND... : what the command prints, in English as this script is, in a file; another status is an error, with all that it printed.
output=$(mktemp)
trap 'rm -f "$output"' EXIT
said() {
  local wanted=$1 status=0
  shift
  printf '%s$ tensorlane %s%s\n' "$cyan" "$*" "$plain"
  LC_ALL=C.UTF-8 LANGUAGE='' "$prefix/bin/tensorlane" "$@" >"$output" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || { cat "$output" >&2; die "'tensorlane $*' ended with $status, not $wanted"; }
}

# shown FROM TO : the lines of the output from the first that matches FROM to the one before TO.
shown() {
  awk -v from="$1" -v to="$2" '!on && $0 ~ from { on = 1; some = 1; print; next } on && $0 ~ to { exit } on
    END { exit !some }' "$output" | sed -E "s/^error .*/$red&$plain/; s/^( *(repair|what helps:?) )/$green\\1$plain/" ||
    { cat "$output" >&2; die "no line '$1' in what the command printed"; }
}

step "A bug found"
said 1 run --check=all -- wrong/okk
shown '^error TL-RACE' '^ *missing' | grep -v '^ *[a-z]*_addr: '  # both lines, and the bytes
shown '^ *repair' '^ *launch'
step "A wrong number explained"
said 0 why --element 'output_addr[0]' --expected -7 -- wrong/okk
shown '^suspects' '^$'
step "A time"
said 0 run --time -- pingpong/okk
shown '^modelled time of .in_turn' '^ *why 2'
shown '^modelled time of .pingpong' '^ *why'
