#!/bin/sh
# Builds llvm-lidia and demonstrates its use.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/try-it.sh [BUILD-FOLDER]

Installs what the build needs, builds llvm-lidia with debug information, and
looks up an address of llvm-lidia itself with utils/show-lookup.sh, which
compares it with llvm-symbolizer. The build folder is build-try if none is
given; "cmake --install" installs from there.

  --help  print this
USAGE
}

. "$(dirname "$0")/one-operand.inc"
cd "$(dirname "$0")/.."
build=${1:-build-try}

utils/install-dependencies.sh
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DLLVM_DIR=/usr/lib/llvm-19/lib/cmake/llvm \
  -DLIDIA_BUILD_TESTS=OFF -DLIDIA_BUILD_BENCHMARKS=OFF >/dev/null
ninja -C "$build"

lidia=$build/bin/llvm-lidia
echo
utils/show-lookup.sh "$lidia" "$lidia"
cat <<NEXT

What next:
  another binary   utils/show-lookup.sh $lidia BINARY
  all commands     $lidia help
  install          sudo cmake --install $build
  in LLDB          "Use it in LLDB" in README.md
NEXT
