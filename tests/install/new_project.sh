#!/usr/bin/env bash
# new_project.sh CHIP TEMPLATE PREFIX WORK_FOLDER
#
# Follows what `tensorlane new` says: writes a project, builds it and runs its tests, then runs its program, the test in Python and the
# last step of its workflow for GitHub.

set -euo pipefail
chip=$1 template=$2 prefix=$3 work=$4
declare -A shows=([elementwise]="-15 0 10 20 " [reduction]="6 -0.25 " [product]="19 22 43 50 " [launches]="-0.5 0.5 -3.5 3.5 ")
# One change each that makes the results wrong.
declare -A spoils=([elementwise]='s/a->scale/2 * a->scale/' [reduction]='s/(total, total, \(sum\|mean\),/(total, \1, \1,/'
  [product]='s/k > 0/k > kInner/' [launches]='s/(mean, mean, part,/(mean, part, part,/')
rm -rf "$work"
mkdir -p "$work"
cd "$work"

"$prefix/bin/tensorlane" new scale --template "$template" --chip "$chip" | tee said
grep -q "CMAKE_PREFIX_PATH=$prefix" said
export PYTHONDONTWRITEBYTECODE=1
bash -euxc "$(grep '^  c' said)" | tee log
[ "$(scale/build/scale | tr '\n' ' ')" = "${shows[$template]}" ]
# The test in Python is among them where there are numpy and pytest.
if [ -d "$prefix/lib/python3/dist-packages/tensorlane" ] && python3 -c 'import numpy, pytest'; then grep -q 'Test *#3: python .* Passed' log; fi
# No word of the template is left.
if grep -rn 'my_\(kernel\|sdk\|flags\|launch\|chip\)\|MY_KERNEL' --exclude-dir=build scale; then exit 1; fi
# The workflow does in its last step what was done here.
rm -rf scale/build
(cd scale && CMAKE_PREFIX_PATH=$prefix bash -euxc "$(sed -n '/- name: build and test/,$ s/^          //p' .github/workflows/tests.yml)" >../log)
grep -q '100% tests passed' log
# The kernel is there to be changed: a wrong result and a wrong command are found.
sed -i "${spoils[$template]}" scale/scale.c
cmake --build scale/build >log
if ctest --test-dir scale/build -R results >>log; then exit 1; fi
# Nothing is overwritten.
if "$prefix/bin/tensorlane" new scale 2>refused; then exit 1; fi
grep -q "'scale' is there already" refused
