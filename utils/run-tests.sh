#!/bin/sh
# Installs what is missing, builds, and runs all tests: once optimised, once
# with AddressSanitizer and UBSan.
#
#   utils/run-tests.sh [PRESET...]     (default: release sanitize)
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- release sanitize

utils/install-dependencies.sh --tests
for preset; do
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  cmake --build --preset "$preset" --target check-lidia
done
