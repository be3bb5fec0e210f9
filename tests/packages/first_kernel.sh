#!/usr/bin/env bash
# The machine's time to the first own kernel, as the table of docs/install.md has it: installed into a fresh root of the distribution,
# then a project by `tensorlane new`, built and tested. What a reader reads, and the root itself, are not in it. By hand; needs root,
# mmdebstrap and the distribution's mirror.
#
#   tests/packages/first_kernel.sh DEBS WHEEL      the folder of scripts/package.sh and the file of scripts/wheel.sh
#   tests/packages/first_kernel.sh --clone         ./demo.sh of a clone of this repository, then the same

# shellcheck disable=SC2016 # what `inside` gets is for the shell in there
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "fail: $*" >&2; tail -n 20 "$work/log" >&2; exit 1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/root/env/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
seconds() { awk -v since="$1" -v now="$(date +%s.%N)" 'BEGIN { printf "%.1f", now - since }'; }
row() { printf '| %s | %s | %s s | %s s |\n' "$@"; }
# A project in the language, built and tested; its environment in front.
project() {
  local language=$1 words=$2
  shift 2
  "$@" env TENSORLANE_LANG="$language" sh -ec "rm -rf /tmp/scale && cd /tmp && tensorlane new scale $words && cmake -S scale -B scale/build \${PREFIX:+-DCMAKE_PREFIX_PATH=\$PREFIX} &&
    cmake --build scale/build && ctest --test-dir scale/build --output-on-failure" >"$work/log" 2>&1 || fail "the project of $language"
}
measured() {
  local way=$1 installed=$2 language started
  shift 2
  for language in en zh; do
    started=$(date +%s.%N)
    project "$language" "" "$@"
    row "$way" "$language" "$installed" "$(seconds "$started")"
  done
}

echo '| way | language | installing | own kernel: `new`, build, test |'
echo '|---|---|---:|---:|'
if [ "$1" = --clone ]; then
  git clone -q "$source" "$work/clone"
  started=$(date +%s.%N)
  (cd "$work/clone" && ./demo.sh) >"$work/log" 2>&1 || fail "demo.sh"
  prefix=$work/clone/build/demo
  measured clone "$(seconds "$started")" env PATH="$prefix/bin:$PATH" PREFIX="$prefix"
  exit 0
fi

debs=$(realpath "$1") wheel=$(realpath "$2")
mmdebstrap --quiet --variant=apt bookworm "$work/base"
fresh() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf "$root"
  cp -a "$work/base" "$root"
  cp "$debs"/*.deb "$wheel" "$root/root"
  mount -t proc proc "$root/proc"
  inside apt-get update -qq >"$work/log" 2>&1
}
install() { inside sh -ec "$1" >"$work/log" 2>&1 || fail "$1"; }

fresh
started=$(date +%s.%N)
install 'apt-get install -y -qq --no-install-recommends /root/tensorlane_*.deb g++ cmake make'
measured .deb "$(seconds "$started")" inside

fresh
started=$(date +%s.%N)
install 'apt-get install -y -qq --no-install-recommends python3-venv python3-numpy g++ cmake make
  python3 -m venv --system-site-packages /root/env && pip install --quiet --no-index /root/tensorlane-*.whl'
measured wheel "$(seconds "$started")" inside env "PREFIX=/root/env/lib/python3.11/site-packages/tensorlane"

# The last stage of the Containerfile.
fresh
mkdir "$root/packages"
cp "$debs"/*.deb "$root/packages"
started=$(date +%s.%N)
install "$(sed -n 's/^RUN \(apt-get .*\)/\1/p' "$source/Containerfile" | tail -n 1)"
measured container "$(seconds "$started")" inside
