#!/usr/bin/env bash
# Builds the toolkit behind docs/playground.md: build/wasm/playground/layouts.js, by emscripten. The site takes it
# from there when it is built (scripts/site_playground.py); without it the page says that it is not there.
#
#   scripts/playground.sh            needs emscripten: scripts/setup.sh wasm

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

case ${1:-} in -h | --help) print_help scripts/playground.sh; exit 0 ;; esac
command -v em++ >/dev/null || die "no em++: install emscripten (scripts/setup.sh wasm)"
# Where Debian keeps what emscripten's scripts ask node for, if node is not Debian's own.
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
[ -f build/wasm/build.ninja ] || configure wasm
build wasm
