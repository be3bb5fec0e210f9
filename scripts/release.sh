#!/usr/bin/env bash
# Makes all files of a release in build/release-files: Debian packages of both machines, the wheel, the sources, what changed, and
# SHA-256 sums of all of them.
#
#   scripts/release.sh            the version at the head of CHANGELOG.md has to be the one of CMakeLists.txt
#   scripts/release.sh --draft    what stands under "Unreleased" is what changed
#   scripts/release.sh --vscode   with the extension for VS Code, which needs npm packages; combines with the other
#
# Each part has its own script and is built by that: package.sh, package.sh --arm64, wheel.sh, pip_backend.py, vscode.sh.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

draft=no vscode=no
for word in "$@"; do
  case $word in
    -h | --help) print_help scripts/release.sh; exit 0 ;;
    --draft) draft=yes ;;
    --vscode) vscode=yes ;;
    *) die "no such option: $word" ;;
  esac
done

version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || die "CMakeLists.txt has no version"
# The first section of the changes, without its heading.
heading=$(grep -m1 '^## ' CHANGELOG.md | sed 's/^## //')
changes=$(awk '/^## / { section++; next } section == 1' CHANGELOG.md | sed '/./,$!d')
if [ $draft = yes ]; then
  [ "$heading" = Unreleased ] || die "nothing is unreleased: CHANGELOG.md begins with $heading"
elif [ "${heading%%,*}" != "$version" ]; then
  die "CHANGELOG.md begins with '$heading', CMakeLists.txt has $version"
fi
[ -n "$changes" ] || die "CHANGELOG.md says nothing of $heading"
if [ $draft = no ] && [ -d .git ] && [ -n "$(git status --porcelain)" ]; then
  die "there are changes that are not committed"
fi

files=$PWD/build/release-files
rm -rf "$files"
mkdir -p "$files"
scripts/package.sh
scripts/package.sh --arm64
scripts/wheel.sh
step "Packing the sources"
python3 scripts/pip_backend.py "$files"
[ $vscode = no ] || scripts/vscode.sh

cp build/package/packages/*.deb build/package-arm64/packages/*.deb build/wheel/*.whl "$files"
[ $vscode = no ] || cp build/vscode/tensorlane.vsix "$files/tensorlane-$version.vsix"
for file in "$files"/*; do
  [[ $(basename "$file") == *"$version"* ]] || die "$(basename "$file") is not of version $version"
done
printf '%s\n' "$changes" >"$files/CHANGES.md"
(cd "$files" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
ls -l "$files"
