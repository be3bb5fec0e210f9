# shellcheck shell=bash
# Sourced behind lib.sh by what builds for 64-bit ARM: arm64_root PURPOSE... fills build/arm64-root with Debian's libraries for that
# machine, which compiler and qemu take in the place of /, and with what dpkg-shlibdeps asks about them.

arm64_root() {
  local root=build/arm64-root link target libraries
  [ ! -s $root/shlibs ] || return 0
  step "Fetching libraries for ARM"
  rm -rf $root
  libraries=$(packages_for build test | grep -E -- '-(dev|headers)$' | grep -Ev '^(python3|pybind11)-' | paste -sd,)
  # shellcheck disable=SC2016 # $1 is mmdebstrap's
  logged build/arm64/fetch.log mmdebstrap --variant=extract --architectures=arm64 --include="libc6-dev,$libraries" \
    --extract-hook='for deb in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb --info "$deb" shlibs 2>/dev/null || true; done >"$1/names"' \
    bookworm $root
  # Links between its folders are meant for a system that has it as /.
  while IFS= read -r link; do
    target=$(readlink "$link")
    ln -sfn "$(realpath -s --relative-to="$(dirname "$link")" "$root$target")" "$link"
  done < <(find $root -type l -lname '/*')
  mv $root/names $root/shlibs
}
