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
echo
utils/show-lookup.sh "$lidia" "$lidia"
cat <<NEXT

What next:
  another binary   utils/show-lookup.sh $lidia BINARY
  all commands     $lidia help
  install          sudo cmake --install $build
  in LLDB          "Use it in LLDB" in README.md
NEXT
