#!/usr/bin/env bash
# Builds the Python wheel of TensorLane into build/wheel: the Python package with the command, the SDKs of both chips and the
# libraries that they need. Installs missing Debian packages first.
#
#   scripts/wheel.sh            from the preset release, which is built first
#   scripts/wheel.sh BUILD      from this build tree, as it stands
#
# Install it with: pip install build/wheel/tensorlane-*.whl

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

case ${1:-} in
  -h | --help) print_help scripts/wheel.sh; exit 0 ;;
  -*) die "no such option: $1" ;;
esac

has_all_vectors() { grep -qs '^TENSORLANE_VECTORS:[A-Z]*=all' "$1/CMakeCache.txt"; }

tree=${1:-build/release}
install_packages build wheel
if [ $# -eq 0 ]; then
  # As demo.sh does, and into the same folder; but a wheel goes to other processors too.
  if [ ! -f build/release/build.ninja ]; then
    configure release -D TENSORLANE_TESTS=OFF -D TENSORLANE_EXAMPLES=OFF -D TENSORLANE_VECTORS=all
  elif ! has_all_vectors build/release; then
    logged build/release/configure.log cmake -D TENSORLANE_VECTORS=all build/release
  fi
  build release installable
fi
[ -f "$tree/CMakeCache.txt" ] || die "'$tree' is no build tree"
has_all_vectors "$tree" ||
  echo "'$tree' has vector code for this processor alone, others run slower forms of it; for all: cmake -D TENSORLANE_VECTORS=all $tree"

step "Packing"
stage=$PWD/build/wheel/stage
rm -rf build/wheel
install_part() { logged build/wheel/install.log cmake --install "$tree" --component "$1" --prefix "$2" --strip; }
install_part python "$stage"
package=$(find "$stage" -type d -name tensorlane -path '*/dist-packages/*' -prune)
[ -n "$package" ] || die "'$tree' has no Python package: pybind11-dev and python3-dev were missing when it was configured"
# The command finds its SDKs from its own place, so the package is a prefix like any other.
install_part tools "$package"
python=$(sed -n 's/^Python_EXECUTABLE:[^=]*=//p' "$tree/CMakeCache.txt")
"$python" scripts/make_wheel.py "$(dirname "$package")" build/wheel
rm -rf "$stage"
ls -l build/wheel/*.whl
