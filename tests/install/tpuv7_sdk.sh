#!/usr/bin/env bash
# tpuv7_sdk.sh PREFIX LIBDIR WORK_FOLDER EXAMPLE_FOLDER
#
# Builds the example as its page says, with the flags of pkg-config as well, and runs it: by itself, through
# `tensorlane run`, and a module linked with the emulator's name.

set -euo pipefail
prefix=$1 work=$3 example=$4 sdk=$1/sdk/tpuv7
export PKG_CONFIG_PATH=$prefix/$2/pkgconfig
rm -rf "$work"
mkdir -p "$work"
cd "$work"
libs=(-L "$sdk/lib" "-Wl,-rpath,$sdk/lib")
gcc -std=c11 -O2 -g -fsigned-char -fPIC -shared -I "$sdk/include" "$example/scale.c" -o scale.so "${libs[@]}" -ltpuv7_emulator
g++ -std=c++11 -O2 -g -I "$sdk/include" "$example/host_tpuv7.cpp" -o host_tpuv7 "${libs[@]}" -ltpuv7_rt
./host_tpuv7 ./scale.so
read -ra told <<<"$(pkg-config --cflags --libs tensorlane-tpuv7)"
g++ -std=c++11 "$example/host_tpuv7.cpp" -o by_pkg_config "${told[@]}"
./by_pkg_config ./scale.so
if [ -x "$prefix/bin/tensorlane" ]; then
  "$prefix/bin/tensorlane" run --check=all -- ./host_tpuv7 ./scale.so
  "$prefix/bin/tensorlane" run --chip sg2260e --check=all -- ./host_tpuv7 ./scale.so
fi
