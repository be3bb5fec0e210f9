#!/usr/bin/env bash
# Installs the Debian packages of a folder into a root of their own, fresh from the distribution, uses them there as a
# user would, and takes them away again: nothing may stay. Needs root, mmdebstrap and the distribution's mirror.
#
#   tests/packages/check_packages.sh build/package/packages

# shellcheck disable=SC2016 # what `inside` gets is for the shell in there
set -euo pipefail
packages=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT

fail() { echo "fail: $*" >&2; exit 1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# What there is of ours. Caches and lists of apt do not count.
files() { (cd "$root" && find usr etc opt -xdev | grep -v __pycache__ | sort); }

mmdebstrap --quiet --variant=apt --include=g++,pkg-config,cmake,make,man-db bookworm "$root"
mount -t proc proc "$root/proc"
inside apt-get update -qq  # mmdebstrap leaves no lists
files >"$root/before"

mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
# add PACKAGE... : with what they depend on, and no more.
add() {
  local package files=()
  for package in "$@"; do files+=("/packages/$(basename "$root/packages/${package}_"*.deb)"); done
  inside apt-get install -y -qq --no-install-recommends "${files[@]}" >"$root/log" 2>&1 ||
    { tail -n 20 "$root/log"; fail "$* does not install"; }
}

add tensorlane

version=$(inside tensorlane --version)
[[ $version == "tensorlane $(inside dpkg-query -W -f '${Version}' tensorlane)" ]] || fail "version: $version"
grep -q "^## ${version#tensorlane }," "$source/CHANGELOG.md" || fail "CHANGELOG.md does not begin with $version"
inside test -s /usr/share/man/man1/tensorlane.1 -o -s /usr/share/man/man1/tensorlane.1.gz || fail "no manual page"
inside test -s /usr/share/man/zh_CN/man1/tensorlane.1 -o -s /usr/share/man/zh_CN/man1/tensorlane.1.gz || fail "no manual page in Chinese"
inside test -s /usr/share/bash-completion/completions/tensorlane || fail "no completion"

# An OKKernel program by pkg-config, a TPUKernel project by `tensorlane new`: neither needs the C++ library.
cp -r "$source/examples/okkernel/plus_one" "$source/examples/okkernel/common" "$root/home/"
inside sh -ec 'cd /home/plus_one
  gcc -std=c99 -O2 -g -c *.c $(pkg-config --cflags tensorlane-okkernel)
  g++ -std=c++11 -O2 -g *.cpp *.o -o plus_one $(pkg-config --cflags --libs tensorlane-okkernel)
  tensorlane run -- ./plus_one' >"$root/log" 2>&1 || { tail -n 20 "$root/log"; fail "plus_one does not run"; }
grep -q '0 errors' "$root/log" || fail "plus_one: $(cat "$root/log")"
inside sh -ec 'cd /home && tensorlane new scale --chip bm1684x && cmake -S scale -B scale/build >/dev/null &&
  cmake --build scale/build >/dev/null && ctest --test-dir scale/build' >"$root/log" 2>&1 ||
  { tail -n 20 "$root/log"; fail "a new project does not pass its test"; }

# The C++ library, and what is said without it.
mkdir "$root/home/cpp"
cp "$source/tests/install/component/"* "$root/home/cpp"
! inside cmake -S /home/cpp -B /home/cpp/build >"$root/log" 2>&1 || fail "layout is found without libtensorlane-dev"
grep -q 'libtensorlane-dev' "$root/log" || fail "nothing names libtensorlane-dev: $(tail -n 5 "$root/log")"
add libtensorlane-dev tensorlane-doc
inside sh -ec 'cmake -S /home/cpp -B /home/cpp/build2 && cmake --build /home/cpp/build2 && /home/cpp/build2/consumer' >"$root/log" 2>&1 ||
  { tail -n 20 "$root/log"; fail "a program does not build with libtensorlane-dev"; }
inside test -s /usr/share/doc/tensorlane/README.md || fail "no pages"
# The site, with its playground, where it was built (package.sh --no-site leaves it out).
if inside test -e /usr/share/doc/tensorlane/html/index.html; then
  inside test -s /usr/share/doc/tensorlane/html/playground/layouts.js || fail "the playground has no toolkit"
fi

# The Python package: the example of README.md, findings, pictures, the plug-in for pytest.
add python3-tensorlane
inside apt-get install -y -qq --no-install-recommends python3-pytest >"$root/log" 2>&1
mkdir "$root/home/use"
cp "$source"/examples/python/rmsnorm.c "$root/home/use"
cp "$source"/tests/python/kernels/faulty.c "$source"/tests/packages/use_package.py "$source/README.md" "$root/home/"
inside sh -ec 'cd /home && python3 use_package.py . README.md use' >"$root/log" 2>&1 ||
  { tail -n 20 "$root/log"; fail "the Python package does not do what it should"; }

inside apt-get purge -y -qq tensorlane libtensorlane-dev tensorlane-doc python3-tensorlane >/dev/null 2>&1
inside apt-get autoremove -y -qq --purge >/dev/null 2>&1
left=$(files | comm -13 "$root/before" - | grep -i tensorlane || true)
[ -z "$left" ] || fail "left behind: $left"
echo "Packages of $version: installed, used, removed"
