#!/usr/bin/env bash
# Builds the VS Code extension into build/vscode/tensorlane.vsix. Needs node and npm, and a package registry for the client
# library and the packer (vsce); what the lock file says is what is fetched.
#
#   scripts/vscode.sh
#
# Install it with: code --install-extension build/vscode/tensorlane.vsix

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

case ${1:-} in
  -h | --help) print_help scripts/vscode.sh; exit 0 ;;
  ?*) die "no such option: $1" ;;
esac
# The last one that runs on node 18, which Debian 12 has.
vsce=@vscode/vsce@2.32.0

for tool in node npm; do command -v $tool >/dev/null || die "no $tool: install the Debian packages nodejs and npm"; done
rm -rf build/vscode
mkdir -p build/vscode/extension
cp -r editors/vscode/. build/vscode/extension
rm -rf build/vscode/extension/node_modules
cp LICENSE build/vscode/extension/LICENSE.txt
step "Fetching"
logged build/vscode/fetch.log npm --prefix build/vscode/extension ci --omit=dev --no-audit --no-fund
logged build/vscode/vsce.log npm install --prefix build/vscode/tools --no-audit --no-fund --no-save $vsce
step "Packing"
(cd build/vscode/extension && ../tools/node_modules/.bin/vsce package --allow-missing-repository --out ../tensorlane.vsix) \
  >build/vscode/pack.log 2>&1 || { cat build/vscode/pack.log >&2; die "vsce refuses"; }
ls -l build/vscode/tensorlane.vsix
