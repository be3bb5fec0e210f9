#!/usr/bin/env bash
# build_and_run.sh linked|module|checked|closed PREFIX WORK_FOLDER
#
# Builds kernels and host with the compilers alone, as a user of the chip does, and runs them:
#   linked    the kernels in the program, launched by name
#   module    the kernels in a module, loaded as a file and from memory, launched by function
#   checked   the same under PREFIX/bin/tensorlane run --check=all, which must find nothing to say
#   closed    a module that also refers to a function nobody has: the other kernels run, a call of
#             that one ends its launch with its name

set -euo pipefail
way=$1 prefix=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
sdk=$prefix/sdk/tpukernel
mkdir -p "$work"

kernel_flags=(-std=c11 -O2 -g -Wall -Wextra -Werror -DBACKEND_1684X -fsigned-char -I "$sdk/include")
libs=(-L "$sdk/lib" "-Wl,-rpath,$sdk/lib" -lbmlib -lm -ldl -lpthread)

set -x
g++ -std=c++11 -O2 -Wall -Wextra -Werror -I "$sdk/include" -c "$here/host.cpp" -o "$work/host.o"
if [ "$way" = linked ]; then
  gcc "${kernel_flags[@]}" -c "$here/kernels.c" -o "$work/kernels.o"
  g++ "$work/host.o" "$work/kernels.o" -o "$work/consumer" "${libs[@]}"
  exec "$work/consumer"
fi
if [ "$way" = closed ]; then kernel_flags+=(-DCLOSED); fi
gcc "${kernel_flags[@]}" -shared -fPIC "$here/kernels.c" -o "$work/kernels.so" -Wl,-z,lazy "${libs[@]}"
g++ "$work/host.o" -o "$work/consumer" "${libs[@]}"
case $way in
  checked) exec "$prefix/bin/tensorlane" run --check=all -- "$work/consumer" "$work/kernels.so" ;;
  module) exec "$work/consumer" "$work/kernels.so" ;;
  closed)
    "$work/consumer" "$work/kernels.so"
    if "$work/consumer" "$work/kernels.so" closed > "$work/stdout" 2> "$work/stderr"; then exit 1; fi
    grep "vendor_function is called, which neither" "$work/stderr"
    grep "ended at .*kernels.c:[0-9]* in closed" "$work/stderr"
    [ "$(grep -c '^fail' "$work/stdout")" = 2 ] # that launch and the program's last line: the others went on
    ;;
esac
