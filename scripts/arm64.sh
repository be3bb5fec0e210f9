#!/usr/bin/env bash
# Builds the core of TensorLane for 64-bit ARM and runs its tests under qemu: element types, layouts and the products, whose
# loops are NEON's there, bit for bit. Installs missing Debian packages first; libraries for ARM go into build/arm64-root.
#
#   scripts/arm64.sh             configures, builds and runs these tests
#   scripts/arm64.sh TEST...     other test programs: okk_test

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/arm64_root.sh
source scripts/arm64_root.sh

tests=(base_test tensor_test layout_test products_test matrices_test windows_test)
case ${1:-} in
  -h | --help) print_help scripts/arm64.sh; exit 0 ;;
  -*) die "no such option: $1" ;;
  ?*) tests=("$@") ;;
esac

root=build/arm64-root
install_packages build arm64
arm64_root

configure arm64
build arm64 "${tests[@]}"
for test in "${tests[@]}"; do
  program=$(find build/arm64/src -type f -name "$test")
  step "Running $test"
  # Fewer inputs per law: qemu is ten times slower.
  RC_PARAMS=max_success=20 qemu-aarch64 -L $root "$program" --gtest_brief=1
done
