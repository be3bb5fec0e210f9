#!/usr/bin/env bash
# Builds the Debian packages of TensorLane into build/package/packages: tensorlane, libtensorlane-dev, python3-tensorlane
# and tensorlane-doc. Installs missing Debian packages first.
#
#   scripts/package.sh              all of them
#   scripts/package.sh --no-site    the documentation without the site, which needs mkdocs
#
# Install them with: apt-get install ./build/package/packages/*.deb

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

site=yes
case ${1:-} in
  -h | --help) print_help scripts/package.sh; exit 0 ;;
  --no-site) site=no ;;
  "") ;;
  *) die "no such option: $1" ;;
esac

purposes=(build package)
[ $site = no ] || purposes+=(docs)
install_packages "${purposes[@]}"
rm -rf build/site
configure package
build package
if [ $site = yes ]; then
  step "Building the site"
  TENSORLANE=build/package/tools/tensorlane/tensorlane logged build/package/site.log mkdocs build --quiet
fi
step "Packing"
rm -rf build/package/packages
logged build/package/pack.log cpack --config build/package/CPackConfig.cmake
ls -l build/package/packages/*.deb
