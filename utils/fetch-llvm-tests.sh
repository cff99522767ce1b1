#!/bin/sh
# Fetches LLVM's own tests of llvm-symbolizer.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/fetch-llvm-tests.sh [FOLDER]

Fetches the tests of LLVM 19, of which utils/agreement/run-llvm-tests.py runs those
of llvm-symbolizer, from Debian's source package (a download of 160 MB): once, into
the user's cache folder, where test/Symbolize looks for them
(lidia-llvm-tests/19 in $XDG_CACHE_HOME or ~/.cache), or into FOLDER.

  --help  print this
USAGE
}

. "$(dirname "$0")/one-operand.inc"
. "$(dirname "$0")/llvm-source.inc"

folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/lidia-llvm-tests/19}
[ ! -e "$folder" ] || { echo "$folder is there already"; exit 0; }
work=$folder.fetching
rm -rf "$work"
mkdir -p "$work/source"
work=$(cd "$work" && pwd)

fetch_llvm_source "$(dpkg-query -W -f '${source:Version}' llvm-19)"
tar -xf "$work"/llvm-toolchain-19_*.orig.tar.xz -C "$work/source" \
  --strip-components=1 --wildcards '*/llvm/test/DebugInfo' '*/llvm/test/Support' \
  '*/llvm/test/tools/llvm-symbolizer'
mv "$work/source" "$folder"
rm -rf "$work"
echo "LLVM's tests: $folder"
