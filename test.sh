#!/usr/bin/env bash
# Builds TensorLane with warnings as errors and runs its tests. Installs missing Debian packages first.
#
#   ./test.sh            build (preset release) and run every test
#   ./test.sh --full     the same, with the largest sizes and the longest tests too (minutes more)
#   ./test.sh --asan     under AddressSanitizer and UndefinedBehaviorSanitizer
#   ./test.sh --tsan     under ThreadSanitizer
#   ./test.sh --browser  the report page, the site and its playground in Chromium, with screenshots (minutes)
#   ./test.sh --bench    compile the benchmarks beside the libraries that they compare with; they are run by hand
#   ./test.sh --style    clang-format, shellcheck and clang-tidy instead of the tests
#   ./test.sh --packages build the Debian packages, install, use and remove them in a fresh root (as root)
#   ./test.sh --arm64    build the core for 64-bit ARM and run its tests under qemu
#   ./test.sh --wheel    build the Python wheel, install, use and remove it in a virtual environment
#   ./test.sh --vscode   pack the extension for VS Code with npm packages, load it, ask its server (needs build/release)
#   ./test.sh -R REGEX   only the tests, or cases of their programs, whose name matches; any ctest option may follow
#
# Options combine: ./test.sh --asan -R layout

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/scripts/lib.sh"

preset=release
full=no
browser=no
ctest_options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) print_help test.sh; exit 0 ;;
    --full) full=yes ;;
    --browser) browser=yes ;;
    --asan | --ubsan | --asan-ubsan) preset=asan-ubsan ;;
    --tsan) preset=tsan ;;
    --packages) scripts/package.sh; exec tests/packages/check_packages.sh build/package/packages ;;
    --arm64) shift; exec scripts/arm64.sh "$@" ;;
    --wheel) scripts/wheel.sh; exec tests/packages/check_wheel.sh build/wheel/tensorlane-*.whl build/release ;;
    --vscode) scripts/vscode.sh; exec tests/packages/check_vscode.js build/vscode/tensorlane.vsix build/release/tools/tensorlane/tensorlane ;;
    --bench) exec bench/compile.sh ;;
    --style) shift; exec scripts/style.sh "$@" ;;
    *) ctest_options+=("$@"); break ;;
  esac
  shift
done

# The tests of the largest sizes and the longest others carry the label "full", of which .ci/run runs a third of those with "push";
# those that need a browser have "browser".
purposes=(build test)
if [ "$browser" = yes ]; then
  ctest_options+=(-L browser)
  purposes+=(browser wasm docs)
elif [ "$full" = yes ]; then
  ctest_options+=(-LE browser)
else
  ctest_options+=(-LE 'full|browser')
fi

install_packages "${purposes[@]}"
tell_time 1400 'The first build and all tests take'
if [ "$browser" = yes ]; then
  scripts/playground.sh
  # Those programs may be younger than the build tree, which asks for them once.
  configure "$preset"
fi
build_with_tests "$preset"

# cases_of PROGRAM NAME REGEX : the cases of a test program whose name, with the program's before it, matches.
cases_of() {
  "$1" --gtest_list_tests | awk -v name="$2/" '/^[^ ]/ { suite = $1; next } { print name suite $1 }' |
    grep -E -- "$3" | sed 's|^[^/]*/||' || true
}

# Of a program that ctest runs in a few parts, -R runs single cases, where no part is called so.
step "Testing build/$preset"
if [ "${1:-}" = -R ] && [ $# -ge 2 ]; then
  ran=no
  for listed in "build/$preset"/sharded/*; do
    name=${listed##*/}
    ! ctest --test-dir "build/$preset" -N -R "$2" | grep ": $name/" >/dev/null || continue
    mapfile -t cases < <(cases_of "$(cat "$listed")" "$name" "$2")
    [ ${#cases[@]} -gt 0 ] || continue
    ran=yes
    (IFS=:; env -u TENSORLANE_LANG LC_ALL=C.UTF-8 "$(cat "$listed")" --gtest_brief=1 --gtest_filter="${cases[*]}")
  done
  [ $ran = no ] || ctest --test-dir "build/$preset" -N "${ctest_options[@]}" | grep '^ *Test *#' >/dev/null || exit 0
fi
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --progress \
  -j "${CTEST_PARALLEL_LEVEL:-$(job_count)}" "${ctest_options[@]}"
