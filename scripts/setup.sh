#!/usr/bin/env bash
# Installs what TensorLane needs on Debian 12 and builds it.
#
#   scripts/setup.sh                     packages for building and testing, then the release build
#   scripts/setup.sh --only-packages     packages only
#   scripts/setup.sh PRESET              another preset of CMakePresets.json: debug, bench, asan-ubsan, ...
#   scripts/setup.sh PRESET PURPOSE...   packages for these purposes (see scripts/packages.txt) beside "build"
#
# Uses apt-get, with sudo when you are not root, and only when a package is missing.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

build=yes
case ${1:-} in
  -h | --help) print_help scripts/setup.sh; exit 0 ;;
  --only-packages) build=no; shift ;;
esac
preset=${1:-release}
[ $# -eq 0 ] || shift
purposes=("$@")
if [ ${#purposes[@]} -eq 0 ]; then
  case $preset in
    bench) purposes=(bench) ;;
    *) purposes=(test) ;;
  esac
fi

install_packages build "${purposes[@]}"
[ "$build" = yes ] || exit 0
configure "$preset"
build "$preset"
