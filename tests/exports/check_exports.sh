#!/usr/bin/env bash
# check_exports.sh CC NM LIBRARY ROOT FOREIGN HEADER... : compares the dynamic symbols of a libbmlib.so with the functions
# that gcc sees in its headers. Those whose names match FOREIGN belong to the other interface: bmlib_runtime.h declares
# the launches of both.

set -euo pipefail
cc=$1 nm=$2 library=$3 root=$4 foreign=$5
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# gcc lists what a file declares: "/* FILE:LINE:NC */ extern void f (int);". Without the headers of the system: f.
declared() {
  "$cc" -x c -w -D USING_CMODEL -D TENSORLANE_OKK_UNDECLARED -I "$root/sdk/okkernel/include" \
    -I "$root/sdk/tpukernel/include" -fsyntax-only -aux-info "$work/list" "$root/$1"
  grep -F "$root/" "$work/list" | sed -nE 's,^/\*[^*]*\*/ extern [^(]*[ *]([A-Za-z_0-9]+) \(.*,\1,p'
}
for header in "$@"; do declared "$header"; done | sort -u >"$work/declared"
"$nm" -D --defined-only "$library" | sed -E 's/^[0-9a-f]* //; s/^T //; s/@.*//' | sort -u >"$work/exported"
echo "$(wc -l <"$work/declared") functions declared, $(wc -l <"$work/exported") symbols exported"
[ -s "$work/declared" ]

status=0
if comm -13 "$work/declared" "$work/exported" | grep .; then
  echo "these are exported, and no header declares them as functions"
  status=1
fi
if comm -23 "$work/declared" "$work/exported" | grep -vE "$foreign"; then
  echo "these are declared, and not exported"
  status=1
fi
exit $status
