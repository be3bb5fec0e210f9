#!/usr/bin/env bash
# Fuzzes the readers of npy, npz and safetensors files: builds them with clang (preset fuzz) and runs each for a while.
#
#   fuzz/run.sh [SECONDS] [FORMAT...]    SECONDS for each format (default 60); FORMAT: npy, npz, safetensors
#
# Starts from fuzz/corpus/FORMAT and from what earlier runs found (build/fuzz/corpus). An input that makes a reader
# crash, leak, hang for 10 s or take more than 256 MB at once is a failure; it is left in build/fuzz/found.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../scripts/lib.sh"

case ${1:-} in
  -h | --help) print_help fuzz/run.sh; exit 0 ;;
esac
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "'$seconds' is no number of seconds; try fuzz/run.sh --help"
shift || true
formats=("$@")
[ ${#formats[@]} -gt 0 ] || formats=(npy npz safetensors)
for format in "${formats[@]}"; do
  [ -f "fuzz/${format}_fuzz.cc" ] || die "unknown format '$format'; known are npy, npz, safetensors"
done

install_packages build fuzz
step "Building build/fuzz"
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target fuzz_targets -j "$(job_count)"

mkdir -p build/fuzz/found
failed=()
for format in "${formats[@]}"; do
  step "Fuzzing $format for $seconds s"
  mkdir -p "build/fuzz/corpus/$format"
  log=build/fuzz/$format.log
  if "build/fuzz/fuzz/${format}_fuzz" "build/fuzz/corpus/$format" "fuzz/corpus/$format" "-dict=fuzz/$format.dict" \
    "-max_total_time=$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 \
    "-artifact_prefix=build/fuzz/found/$format-" -print_final_stats=1 -verbosity=0 >"$log" 2>&1; then
    sed -n 's/^stat::number_of_executed_units: */inputs tried: /p; s/^stat::peak_rss_mb: */peak memory in MB: /p' "$log"
  else
    failed+=("$format")
    tail -n 60 "$log"
  fi
done
[ ${#failed[@]} -eq 0 ] || die "findings in: ${failed[*]}; the inputs are in build/fuzz/found"
echo "No findings in ${formats[*]}."
