#!/usr/bin/env bash
# Compiles every benchmark, without the libraries of ours that they are linked with and without optimisation, in a folder of its own:
# what no test runs is at least up to date.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

install_packages build bench
configure bench -B build/bench-compile -D CMAKE_CXX_FLAGS_RELEASE=-O0 -D TENSORLANE_BENCH_LEVEL=-O0
mapfile -t objects < <(ninja -C build/bench-compile -t targets all | sed -n 's/^\(bench\/.*\.cc\.o\): .*/\1/p')
[ ${#objects[@]} -gt 20 ] || die "found only ${#objects[@]} sources of benchmarks in build/bench-compile"
step "Compiling ${#objects[@]} sources of benchmarks"
ninja -C build/bench-compile -j "$(job_count)" "${objects[@]}"
