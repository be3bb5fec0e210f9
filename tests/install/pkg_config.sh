#!/usr/bin/env bash
# pkg_config.sh PKG_CONFIG_PATH WORK_FOLDER: builds the C++ consumer with the flags that pkg-config tells.

set -euo pipefail
here=$(dirname "$0")
export PKG_CONFIG_PATH=$1
mkdir -p "$2"
told=$(pkg-config --cflags --libs tensorlane)
flags=()
eval "flags=($told)" # pkg-config quotes for a shell
set -x
"${CXX:-c++}" -std=c++20 "$here/component/main.cc" -o "$2/consumer" "${flags[@]}"
"$2/consumer"
