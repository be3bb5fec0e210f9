#!/usr/bin/env bash
# build_and_run.sh plain|pkg_config|dlopen|run PREFIX LIBDIR WORK_FOLDER
#
# Builds the program without CMake, gcc for the kernel and g++ for the host, and runs it:
#   plain        with the two documented flags
#   run          the same, run by PREFIX/bin/tensorlane, which finds the library
#   pkg_config   with the flags that pkg-config tells
#   dlopen       with the kernel in a shared library that the host loads

set -euo pipefail
way=$1 prefix=$2 libdir=$3 work=$4
here=$(cd "$(dirname "$0")" && pwd)
sdk=$prefix/sdk/okkernel
mkdir -p "$work"

cflags=(-DUSING_CMODEL -I "$sdk/include")
libs=(-L "$sdk/lib" -lbmlib -lm -ldl -lpthread)
if [ "$way" = pkg_config ]; then
  export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
  told=$(pkg-config --cflags tensorlane-okkernel)
  eval "cflags=($told)" # pkg-config quotes for a shell
  told=$(pkg-config --libs tensorlane-okkernel)
  eval "libs=($told)"
fi

set -x
g++ -std=c++11 -O2 "${cflags[@]}" -c "$here/host.cpp" -o "$work/host.o"
if [ "$way" = dlopen ]; then
  gcc -std=c99 -O2 -shared -fPIC "${cflags[@]}" "$here/add_one.c" -o "$work/add_one.so" "${libs[@]}"
  g++ "$work/host.o" -o "$work/consumer" "${libs[@]}"
  LD_LIBRARY_PATH=$sdk/lib "$work/consumer" "$work/add_one.so"
  exit
fi
gcc -std=c99 -O2 "${cflags[@]}" -c "$here/add_one.c" -o "$work/add_one.o"
g++ "$work/host.o" "$work/add_one.o" -o "$work/consumer" "${libs[@]}"
case $way in
  plain) LD_LIBRARY_PATH=$sdk/lib "$work/consumer" ;;
  pkg_config) "$work/consumer" ;; # the flags name the library's folder
  run) "$prefix/bin/tensorlane" run -- "$work/consumer" ;;
esac
