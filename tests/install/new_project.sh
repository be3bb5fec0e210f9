#!/usr/bin/env bash
# new_project.sh CHIP PREFIX WORK_FOLDER
#
# Follows what `tensorlane new` says: writes a project, builds it and runs its tests, then runs its program.

set -euo pipefail
chip=$1 prefix=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"

"$prefix/bin/tensorlane" new scale --chip "$chip" | tee said
grep -q "CMAKE_PREFIX_PATH=$prefix" said
bash -euxc "$(grep '^  c' said)"
[ "$(scale/build/scale | tr '\n' ' ')" = "-15 0 10 20 " ]
# The kernel is there to be changed: a wrong result and a wrong command are found.
sed -i 's/a->scale/2 * a->scale/' scale/scale.c
cmake --build scale/build >log
if ctest --test-dir scale/build -R results >>log; then exit 1; fi
# Nothing is overwritten.
if "$prefix/bin/tensorlane" new scale 2>refused; then exit 1; fi
grep -q "'scale' is there already" refused
