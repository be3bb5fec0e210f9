#!/usr/bin/env bash
# Builds the Debian packages of TensorLane into build/package/packages: tensorlane, libtensorlane-dev, python3-tensorlane
# and tensorlane-doc. Installs missing Debian packages first.
#
#   scripts/package.sh              all of them
#   scripts/package.sh --no-site    the documentation without the site, which needs mkdocs, and emscripten for its playground
#   scripts/package.sh --arm64      tensorlane and libtensorlane-dev for 64-bit ARM, by a cross compiler, into
#                                   build/package-arm64/packages
#
# Install them with: apt-get install ./build/package/packages/*.deb

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/arm64_root.sh
source scripts/arm64_root.sh

site=yes preset=package
case ${1:-} in
  -h | --help) print_help scripts/package.sh; exit 0 ;;
  --no-site) site=no ;;
  --arm64) site=no preset=package-arm64 ;;
  "") ;;
  *) die "no such option: $1" ;;
esac

purposes=(build package)
[ $site = no ] || purposes+=(docs wasm)
[ $preset = package ] || purposes+=(arm64)
install_packages "${purposes[@]}"
if [ $preset = package-arm64 ]; then
  arm64_root
  # What a package depends on is asked of the libraries of that machine, which are installed nowhere.
  PATH=$PWD/scripts/arm64:$PATH
fi
rm -rf build/site
configure $preset
build $preset
if [ $site = yes ]; then
  scripts/playground.sh
  step "Building the site"
  TENSORLANE=build/package/tools/tensorlane/tensorlane logged build/package/site.log mkdocs build --quiet
fi
step "Packing"
rm -rf build/$preset/packages
logged build/$preset/pack.log cpack --config build/$preset/CPackConfig.cmake
ls -l build/$preset/packages/*.deb
