#!/usr/bin/env bash
# Builds TensorLane, installs it to build/demo and runs every OKKernel example on the emulated BM1684 and every
# TPUKernel example on the emulated BM1684X, each built against the installed SDK with plain gcc and g++, as your own
# program would be.
#
#   ./demo.sh            all examples
#   ./demo.sh NAME...    only these folders of examples, okkernel/plus_one for one

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/scripts/lib.sh"

case ${1:-} in
  -h | --help) print_help demo.sh; exit 0 ;;
esac

prefix=build/demo
install_packages build
tell_time 345 'The first build takes'
# Into the folder of test.sh, so that each finds what the other has built; without the tests, their packages and the vector code
# that only they call.
[ -f build/release/build.ninja ] ||
  configure release -D TENSORLANE_TESTS=OFF -D TENSORLANE_EXAMPLES=OFF -D TENSORLANE_VECTORS=best
build release installable
step "Installing to $prefix"
cmake --install build/release --prefix "$prefix" >/dev/null

# The shortest programs first, the largest last; whatever else is a host with its kernels stands between.
examples=("$@")
if [ ${#examples[@]} -eq 0 ]; then
  examples=(okkernel/hello_world okkernel/plus_one)
  for folder in examples/{okkernel,tpukernel}/*/; do
    name=${folder#examples/}
    name=${name%/}
    case $name in */hello_world | */plus_one | */operators) continue ;; esac
    if compgen -G "$folder*.cpp" >/dev/null; then examples+=("$name"); fi
  done
  examples+=(okkernel/operators)
fi

# build_example NAME: kernels with gcc, the host with g++, linked with libbmlib.so.
build_example() {
  local folder=examples/$1 out=$prefix/examples/$1 sdk=$prefix/sdk/${1%%/*} source objects=() flags=(-std=c99)
  [ -d "$folder" ] || die "no example '$1'; there are: $(cd examples && echo {okkernel,tpukernel}/*/)"
  [ "${1%%/*}" = okkernel ] || flags=(-std=c11 -fsigned-char -DBACKEND_1684X)
  mkdir -p "$out"
  for source in "$folder"/*.c "$folder"/*.cpp; do
    [ -e "$source" ] || continue
    local object
    object=$out/$(basename "$source").o
    case $source in
      *.c) gcc "${flags[@]}" -O2 -g -DUSING_CMODEL -I "$sdk/include" -c "$source" -o "$object" ;;
      *.cpp) g++ -std=c++11 -O2 -g -DUSING_CMODEL -I "$sdk/include" -c "$source" -o "$object" ;;
    esac
    objects+=("$object")
  done
  g++ "${objects[@]}" -o "$out/$(basename "$1")" -L "$sdk/lib" -lbmlib -lm -ldl -lpthread
}

passed=() failed=()
for example in "${examples[@]}"; do
  step "Example $example"
  build_example "$example"
  if "$prefix/bin/tensorlane" run -- "$prefix/examples/$example/$(basename "$example")"; then
    passed+=("$example")
  else
    failed+=("$example")
  fi
done

[ ${#failed[@]} -eq 0 ] || die "${#failed[@]} of ${#examples[@]} examples failed: ${failed[*]}"

step "What you have just seen"
cat <<END
${#passed[@]} programs, each with "pass": ${passed[*]}.
Each is a host (.cpp) and a kernel (.c) written against the documented OKKernel or TPUKernel interface, compiled by plain gcc and
g++ and run on an emulated BM1684 or BM1684X. Every host compared the device's result with a loop of its own.

END
scripts/demo_end.sh "$prefix"
cat <<END

Try next:
  $prefix/bin/tensorlane layout draw --layout aligned --shape 2,3,4,5 --npus 4 --npu-bytes 1024
  $prefix/bin/tensorlane ops okk_bdc_conv2d
  $prefix/bin/tensorlane new my_kernel
A kernel is a normal function, so gdb works: docs/debugging.md. The course: docs/learn/index.md.
END
