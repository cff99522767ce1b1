#!/bin/sh
# Installs what is missing, builds, and runs all tests: once optimised, once
# with AddressSanitizer and UBSan.
#
#   utils/run-tests.sh [--build-lldb] [PRESET...]   (default: release sanitize)
#
# The plugin for LLDB is tested in Debian's LLDB, and in one that exports
# lldb_private where utils/build-lldb.sh has built it. --build-lldb builds it
# first, which takes a while the first time; without it those tests are reported
# as not run.
set -eu
cd "$(dirname "$0")/.."
build_lldb=
if [ "${1:-}" = --build-lldb ]; then
  build_lldb=1
  shift
fi
[ $# -gt 0 ] || set -- release sanitize

utils/install-dependencies.sh --tests
# Where its sources cannot be fetched the rest can still be tested.
if [ -n "$build_lldb" ] && ! utils/build-lldb.sh; then
  echo "utils/build-lldb.sh failed: what needs that LLDB will not run" >&2
fi
for preset; do
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  cmake --build --preset "$preset" --target check-lidia
done
