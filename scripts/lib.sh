# shellcheck shell=bash
# Functions shared by demo.sh, test.sh and scripts/*.sh. Source it; it only defines things and moves to the
# repository root.

TENSORLANE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$TENSORLANE_ROOT" || exit 1

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\033[1m' red=$'\033[31m' plain=$'\033[0m'
else
  bold='' red='' plain=''
fi

step() { printf '%s== %s%s\n' "$bold" "$*" "$plain"; }
die() { printf '%serror:%s %s\n' "$red" "$plain" "$*" >&2; exit 1; }

# The comment block at the head of a script is its --help.
print_help() { sed -n '2,/^$/s/^# \{0,1\}//p' "$1"; }

# packages_for PURPOSE... : the package names of scripts/packages.txt for these purposes.
packages_for() {
  local purpose
  for purpose in "$@"; do
    awk -v p="$purpose" '$1 == p { print $2 }' scripts/packages.txt
  done
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# install_packages PURPOSE... : apt-get install what is missing, nothing when nothing is.
install_packages() {
  local tool package as_root=() missing=()
  if ! command -v dpkg-query >/dev/null; then
    for tool in cmake ninja g++; do
      command -v "$tool" >/dev/null ||
        die "no $tool, and this is no Debian system: install what scripts/packages.txt names, then run again"
    done
    return 0
  fi
  for package in $(packages_for "$@"); do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  step "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "no root rights and no sudo; ask for: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  "${as_root[@]}" apt-get -qq update ||
    die "apt-get update failed: is the network there, and are the sources in /etc/apt right?"
  "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install: ${missing[*]} (TensorLane is built for Debian 12)"
}

# Compilers that run at once: one per core, but at least 1.5 GB of memory for each.
job_count() {
  local cores memory_kb
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  local by_memory=$((${memory_kb:-0} / 1500000))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# compile_typical JOBS : our typical file, by as many compilers at a time as will build the rest: two threads of one core slow each other.
compile_typical() {
  local _
  for _ in $(seq "$1"); do
    g++ -std=c++20 -O2 -fPIC -I src -c src/tensorlane/layout/named_mace.cc -o /dev/null >/dev/null 2>&1 &
  done
  wait
}

# tell_time FILES WHAT : how long WHAT will take here, as long as FILES times our typical file, which is compiled to see. Says nothing
# where there is a build already. After install_packages. FILES: how many such files two processors of an AMD EPYC compile side by
# side in the time that WHAT takes them.
tell_time() {
  local jobs minutes seconds TIMEFORMAT='%3U %3S'
  [ ! -f build/release/.ninja_log ] || return 0
  jobs=$(job_count)
  seconds=$({ time compile_typical "$jobs"; } 2>&1)
  minutes=$(awk -v files="$1" -v jobs="$jobs" -v seconds="$seconds" \
    'BEGIN { split(seconds, part, " "); print int(files * (part[1] + part[2]) / jobs / jobs / 60 + 0.5) }')
  echo "$2 about $minutes minutes with $jobs at a time, after that only what has changed is built."
}

# Shows the last "[12/345] ..." of its input in one line of the terminal, and nothing else.
status_line() {
  local line width
  width=$(tput cols 2>/dev/null || echo 80)
  while IFS= read -r line; do
    [[ $line != \[*/*\]* ]] || printf '\r\033[K%.*s' "$((width - 1))" "$line"
  done
  printf '\r\033[K'
}

# logged LOG COMMAND... : keeps what the command prints in LOG and shows it only when the command fails.
logged() {
  local log=$1 failed=no
  shift
  mkdir -p "$(dirname "$log")"
  if [ -t 1 ]; then
    "$@" 2>&1 | tee "$log" | status_line || failed=yes
  else
    "$@" >"$log" 2>&1 || failed=yes
  fi
  [ $failed = yes ] || return 0
  # Of a build what the failed steps printed, else the end.
  { sed -n '/^FAILED:/,/^\[[0-9]*\//p' "$log" | grep -v '^\[[0-9]*/' || tail -n 40 "$log"; } | head -n 200 >&2
  die "'$*' failed; all that it printed: $log"
}

# configure PRESET [OPTION...] : options are for CMake, beside those of the preset.
configure() {
  step "Configuring build/$1"
  logged "build/$1/configure.log" cmake --preset "$@"
}

# build PRESET [TARGET...] : CMake configures again when a file of its own has changed.
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  step "Building build/$preset"
  logged "build/$preset/build.log" \
    cmake --build "build/$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(job_count)}" "${targets[@]}"
}

# build_with_tests PRESET : demo.sh configures build/release without tests, and this brings them in.
build_with_tests() {
  grep -qs '^TENSORLANE_TESTS:BOOL=ON' "build/$1/CMakeCache.txt" || configure "$1"
  build "$1"
}
