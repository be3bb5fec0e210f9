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

# build_preset PRESET [TARGET...] : configures once (later only when CMake asks for it), then builds.
build_preset() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  if [ ! -f "build/$preset/build.ninja" ]; then
    step "Configuring build/$preset"
    cmake --preset "$preset" --log-level=NOTICE
  fi
  step "Building build/$preset"
  cmake --build "build/$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(job_count)}" "${targets[@]}"
}
