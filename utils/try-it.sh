#!/bin/sh
# Builds llvm-lidia with debug information, converts it to an archive, and
# looks up an address of it that has a chain of eight inlined calls.
#
#   utils/try-it.sh [BUILD-FOLDER]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-try}

utils/install-dependencies.sh
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DLLVM_DIR=/usr/lib/llvm-19/lib/cmake/llvm \
  -DLIDIA_BUILD_TESTS=OFF -DLIDIA_BUILD_BENCHMARKS=OFF >/dev/null
ninja -C "$build" llvm-lidia

lidia=$build/bin/llvm-lidia
run() {
  printf '\n$ %s\n' "$*"
  "$@"
}
run "$lidia" --crc --lines --statistics "$lidia"
address=$("$lidia" dump --ranges "$lidia.lidia" |
  awk '$3 == "depth" && $4 == 8 && !at { split($2, a, "[.]"); at = a[1] }
       END { print at }')
run "$lidia" lookup --functions=short --basenames -p "$lidia.lidia" "$address"
