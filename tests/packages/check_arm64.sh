#!/usr/bin/env bash
# Unpacks the packages for 64-bit ARM beside the libraries of that machine and uses them under qemu: the command, and a program
# that is cross-compiled with the headers and library of its SDK, checked. Needs what scripts/package.sh --arm64 needs.
#
#   tests/packages/check_arm64.sh build/package-arm64/packages

set -euo pipefail
packages=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
libraries=$source/build/arm64-root
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
fail() { echo "fail: $*" >&2; exit 1; }

for package in "$packages"/*.deb; do
  [ "$(dpkg-deb --field "$package" Architecture)" = arm64 ] || fail "$package is of another machine"
  dpkg-deb --extract "$package" "$root"
done
depends=$(dpkg-deb --field "$packages"/tensorlane_*.deb Depends)
for library in libc6 libdw1 libfmt9 libstdc++6 zlib1g; do
  [[ $depends == *"$library"* ]] || fail "tensorlane does not depend on $library: $depends"
done
while IFS= read -r program; do
  [[ $(file --brief "$program") == *"ARM aarch64"* ]] || fail "$program: $(file --brief "$program")"
done < <(find "$root" -type f \( -name '*.so' -o -path '*/bin/*' \))

arm() { qemu-aarch64 -L "$libraries" "$@"; }
version=$(arm "$root/usr/bin/tensorlane" --version)
[ "$version" = "tensorlane $(dpkg-deb --field "$packages"/tensorlane_*.deb Version)" ] || fail "version: $version"
drawn=$(arm "$root/usr/bin/tensorlane" layout describe --chip bm1684 --layout aligned --shape 1,3,32,32)
[[ $drawn == *32* ]] || fail "layout: $drawn"

sdk=$root/usr/lib/tensorlane/sdk/okkernel
cp -r "$source/examples/okkernel/plus_one" "$source/examples/okkernel/common" "$root"
(cd "$root/plus_one"
  aarch64-linux-gnu-gcc -std=c99 -O2 -g -DUSING_CMODEL -I "$sdk/include" -c ./*.c
  aarch64-linux-gnu-g++ --sysroot="$libraries" -std=c++11 -O2 -g -DUSING_CMODEL -I "$sdk/include" ./*.cpp ./*.o -L "$sdk/lib" -lbmlib \
    -Wl,--allow-shlib-undefined -o plus_one)
arm -E "LD_LIBRARY_PATH=$sdk/lib" -E TENSORLANE_CHECK=all "$root/plus_one/plus_one" >"$root/log" 2>&1 ||
  { tail -n 20 "$root/log"; fail "plus_one does not run"; }
! grep -q '^error TL-' "$root/log" || fail "plus_one: $(cat "$root/log")"
tail -n 3 "$root/log"
echo "Packages of $version for ARM: unpacked, used"
