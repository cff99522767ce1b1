#!/bin/sh
# Builds llvm-lidia and demonstrates its use.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/try-it.sh [BUILD-FOLDER]

Installs what the build of the tool needs, builds llvm-lidia with lines in its debug
information, and looks up an address of llvm-lidia itself with
utils/show-lookup.sh, which compares it with llvm-symbolizer. The build folder is
build-try if none is given. The plugin for LLDB, the libraries and the Python
package are not built: see docs/Install.md.

  --help  print this
USAGE
}

. "$(dirname "$0")/one-operand.inc"
cd "$(dirname "$0")/.."
build=${1:-build-try}

utils/install-dependencies.sh --tool
echo "Configuring the build in $build"
# -g1 has lines and inlined calls, and compiles faster than -g.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g1 -DNDEBUG" \
  -DLLVM_DIR=/usr/lib/llvm-19/lib/cmake/llvm -DLIDIA_UNITY_BUILD=ON \
  -DLIDIA_BUILD_TESTS=OFF -DLIDIA_BUILD_BENCHMARKS=OFF \
  -DLIDIA_BUILD_LLDB_PLUGIN=OFF -DLIDIA_BUILD_PYTHON=OFF >/dev/null
echo "Building llvm-lidia, which takes some three and a half minutes on two processors"
if [ -t 1 ]; then
  ninja -C "$build" lidia-tool
else
  # Without a terminal ninja prints a line for each step: show one in 20 s.
  log=$build/build.log
  ninja -C "$build" lidia-tool >"$log" 2>&1 &
  seconds=0
  while sleep 2 && kill -0 $! 2>/dev/null; do
    seconds=$((seconds + 2))
    [ $((seconds % 20)) != 0 ] || tail -n 1 "$log"
  done
  wait $! || {
    tail -n 40 "$log" >&2
    exit 1
  }
fi

lidia=$build/bin/llvm-lidia
echo
utils/show-lookup.sh "$lidia" "$lidia"
cat <<NEXT

What next:
  another binary   utils/show-lookup.sh $lidia BINARY
  all commands     $lidia help
  install the tool sudo cmake --install $build --component tool
  LLDB's plugin, the libraries, Python, packages: docs/Install.md
NEXT
