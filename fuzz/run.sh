#!/usr/bin/env bash
# Fuzzes what takes the input of others: the readers of npy, npz, safetensors and recorded calls, and the functions
# of okk.h (calls). Builds the targets with clang (preset fuzz) and runs each for a while.
#
#   fuzz/run.sh [SECONDS] [TARGET...]    SECONDS for each target (default 60); TARGET: npy, npz, safetensors, recording,
#                                        calls
#
# Starts from fuzz/corpus/TARGET and from what earlier runs found (build/fuzz/corpus). An input that makes a target
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
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(npy npz safetensors recording calls)
for target in "${targets[@]}"; do
  [ -f "fuzz/${target}_fuzz.cc" ] || die "unknown target '$target'; known are npy, npz, safetensors, recording, calls"
done

install_packages build fuzz
configure fuzz
build fuzz "${targets[@]/%/_fuzz}"

# fuzz TARGET: fuzzes it; the log and, when nothing was found, a mark that says so stay in build/fuzz.
fuzz() {
  local target=$1 dictionary=()
  mkdir -p "build/fuzz/corpus/$target"
  [ ! -f "fuzz/$target.dict" ] || dictionary=("-dict=fuzz/$target.dict")
  rm -f "build/fuzz/$target.clean"
  "build/fuzz/fuzz/${target}_fuzz" "build/fuzz/corpus/$target" "fuzz/corpus/$target" "${dictionary[@]}" \
    "-max_total_time=$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 \
    "-artifact_prefix=build/fuzz/found/$target-" -print_final_stats=1 -verbosity=0 >"build/fuzz/$target.log" 2>&1 &&
    touch "build/fuzz/$target.clean"
}

step "Fuzzing ${targets[*]} for $seconds s each"
mkdir -p build/fuzz/found
jobs=$(job_count) started=0
for target in "${targets[@]}"; do
  [ "$started" -lt "$jobs" ] || wait -n || true
  fuzz "$target" &
  started=$((started + 1))
done
wait

failed=()
for target in "${targets[@]}"; do
  if [ -f "build/fuzz/$target.clean" ]; then
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: */inputs tried /p; s/^stat::peak_rss_mb: */, peak memory in MB /p' \
      "build/fuzz/$target.log" | tr -d '\n')"
  else
    failed+=("$target")
    tail -n 60 "build/fuzz/$target.log"
  fi
done
[ ${#failed[@]} -eq 0 ] || die "findings in: ${failed[*]}; the inputs are in build/fuzz/found"
echo "No findings in ${targets[*]}."
