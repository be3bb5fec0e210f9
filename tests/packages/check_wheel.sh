#!/usr/bin/env bash
# Installs a wheel into a virtual environment, uses it there as a user would, and takes it away again: nothing may stay.
# The build tree, where one is named, is moved away meanwhile. Needs no network.
#
#   tests/packages/check_wheel.sh build/wheel/tensorlane-*.whl [BUILD]

set -euo pipefail
wheel=$(realpath "$1")
build=${2:+$(realpath "$2")}
source=$(cd "$(dirname "$0")/../.." && pwd)
outside=$(mktemp -d)
cleanup() {
  if [ -n "$build" ] && [ -d "$build.away" ]; then mv "$build.away" "$build"; fi
  rm -rf "$outside"
}
trap cleanup EXIT
fail() { echo "fail: $*" >&2; exit 1; }

[ "$(stat -c %s "$wheel")" -lt 30000000 ] || fail "$(stat -c %s "$wheel") bytes"
[ -z "$build" ] || mv "$build" "$build.away"

# The path has what shells and loaders stumble over.
work="$outside/a user's Tür 芯片"
mkdir "$work"
/usr/bin/python3 -m venv --system-site-packages "$work/env" # numpy and pytest are the system's
env=(/usr/bin/env -i "PATH=$work/env/bin:/usr/bin:/bin" "HOME=$work" LC_ALL=C.UTF-8)
files() { (cd "$work/env" && find . -not -path '*/__pycache__*' | sort); }
files >"$work/before"
cd "$work"
"${env[@]}" python -m pip install --quiet --no-index "$wheel"

site=$("${env[@]}" python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
package=$site/tensorlane
! grep -rlF -- "$source/build" "$package" || fail "files name the build tree"
missing=$(find "$package" -name '*.so*' -not -name '*.py*' -exec ldd {} + | grep 'not found' || true)
[ -z "$missing" ] || fail "libraries are missing: $missing"
[[ $(ldd "$package/bin/tensorlane") != *libfmt.so* ]] || fail "libraries of the system are used"
for library in "$package"/_native.*.so "$package"/sdk/*/lib/libbmlib.so; do
  [ "$(patchelf --print-soname "$library")" = libbmlib.so ] || fail "$library is no libbmlib.so"
done

mkdir use
cp "$source"/examples/python/rmsnorm.c use
cp "$source"/tests/python/kernels/faulty.c .
"${env[@]}" python "$source/tests/packages/use_package.py" . "$source/README.md" use

# The command and the SDK: a program by plain compilers, and a project of its own.
cp -r "$source/examples/okkernel/plus_one" "$source/examples/okkernel/common" .
sdk=$package/sdk/okkernel
(cd plus_one
  gcc -std=c99 -O2 -g -DUSING_CMODEL -I "$sdk/include" -c ./*.c
  g++ -std=c++11 -O2 -g -DUSING_CMODEL -I "$sdk/include" ./*.cpp ./*.o -L "$sdk/lib" -lbmlib -o plus_one
  "${env[@]}" tensorlane run -- ./plus_one >../log 2>&1) || { tail -n 20 log; fail "plus_one does not run"; }
grep -q '0 errors' log || fail "plus_one: $(cat log)"
"${env[@]}" tensorlane layout describe --chip bm1684x --layout aligned --shape 1,48,4,5 >log || fail "$(cat log)"

# A command that Python does, of an environment that no shell activated.
cp "$source/tests/python/kernels/tiles.c" .
"${env[@]}" PATH=/usr/bin:/bin "$work/env/bin/tensorlane" tune tiles.c --chip bm1684x --kernel tiles --field tile=64,128 \
  --arg cols=512 --input input=fp32:64x512 --output output=fp32:64x512 >log 2>&1 || fail "$(cat log)"

# Without a compiler, the message names what to install.
said=$("${env[@]}" PATH="$work/env/bin" "$work/env/bin/python" -c '
import tensorlane
tensorlane.Device("bm1684x").compile("use/rmsnorm.c")' 2>&1 || true)
[[ $said == *"install gcc and g++"* ]] || fail "without a compiler: $said"

"${env[@]}" python -m pip uninstall --quiet --yes tensorlane
left=$(files | comm -13 before -)
[ -z "$left" ] || fail "left behind: $left"
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes; installed, used, removed"
