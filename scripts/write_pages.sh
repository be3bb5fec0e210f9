#!/usr/bin/env bash
# Writes the pages that the program makes from its own lists, in both languages: the reference of every device function and the
# gallery of layouts. None of them is kept in the repository. The build writes them into pages/ of its folder, an install lays them
# down among the other pages, and the site takes them in (scripts/site_pages.py).
#
#   scripts/write_pages.sh TENSORLANE FOLDER     FOLDER gets reference/, gallery/, gallery.md and zh/ with the same in Chinese
#
# Linked from pages of docs as <!-- site:gallery.md -->gallery<!-- end -->: a link on the site, plain words elsewhere.

set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 2; }
tensorlane=$1 folder=$2
rm -rf "$folder"
for language in en zh; do
  pages=$folder
  [ $language = en ] || pages=$folder/$language
  "$tensorlane" --lang $language layout gallery "$pages" >/dev/null
  "$tensorlane" --lang $language ops --chip bm1684 --pages "$pages/reference/okkernel"
  "$tensorlane" --lang $language ops --chip bm1684x --pages "$pages/reference/tpukernel"
done
