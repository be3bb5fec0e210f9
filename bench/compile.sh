#!/usr/bin/env bash
# Compiles every source of the benchmarks, without optimisation and without the libraries of ours that they are linked with: what no
# test runs is at least up to date.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

install_packages build bench
configure bench -B build/bench-compile -D TENSORLANE_PCH=OFF -D TENSORLANE_UNITY=OFF
mapfile -d '' commands < <(python3 -c '
import json, os, re
for entry in json.load(open("build/bench-compile/compile_commands.json")):
    if entry["file"].startswith(os.getcwd() + "/bench/"):
        print(re.sub(r" -o \S+", " -O0 -o /dev/null", entry["command"]), end="\0")')
[ ${#commands[@]} -gt 20 ] || die "found only ${#commands[@]} sources of benchmarks in build/bench-compile"
step "Compiling ${#commands[@]} sources of benchmarks"
# shellcheck disable=SC2016 # $0 is the command
printf '%s\0' "${commands[@]}" | (cd build/bench-compile && xargs -0 -n 1 -P "$(job_count)" bash -c 'eval "$0"') ||
  die "a benchmark does not compile, see above"
