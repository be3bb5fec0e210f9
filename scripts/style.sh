#!/usr/bin/env bash
# The style gate: clang-format, shellcheck, clang-tidy. Reports; changes nothing unless asked to.
#
#   scripts/style.sh            all three; clang-tidy without its analyzer and without the tests, changed files first,
#                               for at most TENSORLANE_TIDY_SECONDS (default 150)
#   scripts/style.sh --all      clang-tidy with the analyzer on every source file, however long it takes
#   scripts/style.sh --fix      lets clang-format rewrite the files, nothing else

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

tidy_seconds=${TENSORLANE_TIDY_SECONDS:-150}
tidy_options=(--quiet -p build/tidy --extra-arg=-DHWY_COMPILE_ONLY_STATIC)
all=no fix=no
case ${1:-} in
  '') ;;
  --all) all=yes ;;
  --fix) fix=yes ;;
  -h | --help) print_help scripts/style.sh; exit 0 ;;
  *) die "unknown option '$1'; try scripts/style.sh --help" ;;
esac

install_packages build test style

# Tracked files and new ones that git does not ignore.
files_like() { git ls-files --cached --others --exclude-standard --deduplicate -- "$@"; }

mapfile -t formatted < <(files_like {src,tools,python,sdk,examples,bench,fuzz,tests}/'*'.{h,c,cc,cpp})
if [ "$fix" = yes ]; then
  clang-format-14 -i "${formatted[@]}"
  exit 0
fi

failed=()
step "clang-format: ${#formatted[@]} files"
clang-format-14 --dry-run -Werror "${formatted[@]}" || failed+=("clang-format (mend it with scripts/style.sh --fix)")

mapfile -t shell_files < <(files_like '*.sh' .ci/run)
step "shellcheck: ${#shell_files[@]} files"
shellcheck -x "${shell_files[@]}" || failed+=(shellcheck)

# Tests run side by side, and people share a machine: a file with one name for all of them is written by two at once.
step "files of tests lie in a TemporaryFolder"
! git grep -n --untracked 'TempDir()' -- '*_test.cc' || failed+=("a file of a test (base/temporary_folder_test_support.h)")

step "what begins with #! can be started"
! files_like '*' | xargs -d '\n' awk 'FNR == 1 && /^#!/ { print FILENAME } { nextfile }' | xargs -d '\n' -I{} find {} ! -perm -u+x | grep . ||
  failed+=("a file without its x bit (chmod +x)")

# clang-tidy needs the compile commands only; without precompiled headers it misses no missing #include.
# Nothing is ever built there, so nothing else would notice a changed CMakeLists.txt.
cmake --preset tidy --log-level=NOTICE

# The files changed since main (or by the last commit) first.
tidy_order() {
  local base changed
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse -q --verify HEAD~1 || git hash-object -t tree /dev/null)
  fi
  changed=$(git diff --name-only --diff-filter=d "$base" -- {src,tools,sdk}/'*.cc' | sort)
  { echo "$changed"; comm -23 <(files_like {src,tools,sdk}/'*.cc' | sort) <(echo "$changed"); } | grep .
}

mapfile -t tidy_files < <(tidy_order)
if [ "$all" = yes ]; then
  tidy_seconds=86400
else
  mapfile -t tidy_files < <(printf '%s\n' "${tidy_files[@]}" | grep -v '_test\.cc$')
  tidy_options+=('--checks=-clang-analyzer-*')
fi

# Each file writes a log of its own, so that runs side by side do not mix their lines; a log with findings is renamed.
# Highway code is looked at for one CPU target, not for each (HWY_COMPILE_ONLY_STATIC).
log_folder=build/tidy/clang-tidy
tidy() {
  local log
  log=$log_folder/${1//\//+}
  clang-tidy-14 "${tidy_options[@]}" "$1" >"$log" 2>/dev/null || mv "$log" "$log.findings"
}

step "clang-tidy: ${#tidy_files[@]} files, at most $tidy_seconds s"
rm -rf "$log_folder" && mkdir -p "$log_folder"
jobs=$(job_count) started=0
SECONDS=0
for file in "${tidy_files[@]}"; do
  [ "$SECONDS" -lt "$tidy_seconds" ] || break
  [ "$started" -lt "$jobs" ] || wait -n
  tidy "$file" &
  started=$((started + 1))
done
wait
mapfile -t findings < <(find "$log_folder" -name '*.findings' | sort)
echo "clang-tidy: $started of ${#tidy_files[@]} files looked at in $SECONDS s, ${#findings[@]} with findings"
if [ ${#findings[@]} -gt 0 ]; then
  awk '!seen[$0]++' "${findings[@]}" # a header is met by many files
  failed+=(clang-tidy)
fi

[ ${#failed[@]} -eq 0 ] || die "style: ${failed[*]}"
echo "style: everything in order"
