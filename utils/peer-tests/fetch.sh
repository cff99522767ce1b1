#!/bin/sh
# Fetches the binaries that the tests of LLVM's projects use.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/peer-tests/fetch.sh [FOLDER]

Fetches the ELF, PE and Mach-O files that LLVM's own tests read, of all its projects
(about 800 files), from Debian's source package (a download of 160 MB): once, into
the user's cache folder (lidia-peer-tests/llvm-19 in $XDG_CACHE_HOME or ~/.cache), or
into FOLDER. utils/peer-tests/compare.py converts and compares them.

  --help  print this
USAGE
}

. "$(dirname "$0")/../one-operand.inc"
. "$(dirname "$0")/../llvm-source.inc"

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/lidia-peer-tests/llvm-19}
[ ! -e "$folder" ] || { echo "$folder is there already"; exit 0; }
work=$folder.fetching
rm -rf "$work"
mkdir -p "$work/binaries"
work=$(cd "$work" && pwd)

fetch_llvm_source "$(dpkg-query -W -f '${source:Version}' llvm-19)"
python3 "$here/extract-binaries.py" "$work"/llvm-toolchain-19_*.orig.tar.xz \
  "$work/binaries"
mv "$work/binaries" "$folder"
rm -rf "$work"
echo "The binaries of LLVM's tests: $folder"
