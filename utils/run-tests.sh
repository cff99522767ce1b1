#!/bin/sh
# Builds and runs all tests from scratch.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/run-tests.sh [--llvm VERSION] [--build-lldb] [--llvm-tests]
                          [--style] [--packages] [PRESET...]
       utils/run-tests.sh --peers

Installs what is missing, builds, and runs all tests with each preset of
CMakePresets.json: "release" (the default), or "sanitize" for AddressSanitizer and
UBSan. The exit status is 0 if all of them passed. Continuous integration tests both.
Ends with the time of each part, the tests that did not run, with the reasons, and the
totals.

The plugin for LLDB is tested in Debian's LLDB, and in one that exports
lldb_private where utils/build-lldb.sh has built it.

  --llvm 22     with LLVM and LLDB 22, optimised only (the preset
                "release-llvm-22"). Debian has them in its security suite, and
                lldb-22 takes the place of lldb-19
  --build-lldb  build that LLDB first, which takes a while the first time;
                without it the tests that need it are reported as not run
  --llvm-tests  fetch LLVM's own tests of llvm-symbolizer first
                (utils/fetch-llvm-tests.sh); without them they are reported as not
                run
  --style       check the style of the sources, too (utils/check-style.sh)
  --packages    make Debian packages of the first preset, too, check them with lintian,
                and install, use and remove them in a minimal system
                (utils/try-packages.sh). Needs to be root; where such a system cannot be
                made they are reported as not tried
  --peers       run only the tests with programs of others that are large, rare or not
                in Debian, after installing them: Chromium, perf, Rust, Mozilla's
                profiler-cli, readers and servers from the registries of Go and Rust,
                and LLVM's own tests. Then compare the answers about the binaries
                of LLVM's tests (utils/peer-tests), which takes ten minutes. The other
                tests do not need these programs; without them a test is reported as
                not run
  --help        print this
USAGE
}

build_lldb=
llvm_tests=
style=
packages=
peers=
llvm=19
while [ $# -gt 0 ]; do
  case $1 in
  --build-lldb) build_lldb=1 ;;
  --llvm-tests) llvm_tests=1 ;;
  --style) style=1 ;;
  --packages) packages=1 ;;
  --peers) peers=1 llvm_tests=1 ;;
  --llvm)
    [ $# -gt 1 ] || { echo "$1 needs a value: see --help" >&2 && exit 2; }
    llvm=$2
    shift
    ;;
  --help) usage && exit ;;
  -*) echo "unknown option $1: see --help" >&2 && exit 2 ;;
  *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || [ "$llvm" = 19 ] || set -- "release-llvm-$llvm"
[ $# -gt 0 ] || set -- release

cd "$(dirname "$0")/.."

# timed PART COMMAND...: runs the command, and notes how long the part took.
times=
timed() {
  part=$1
  shift
  started=$(date +%s)
  result=0
  "$@" || result=$?
  times="$times$(printf '%6d s  %s' $(($(date +%s) - started)) "$part")
"
  return $result
}

# A full disk fails in odd places: tests hang, and this output stops.
free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1000000) }')
if [ -z "$peers" ] && [ "$free" -lt $(($# * 6)) ]; then
  echo "$(pwd) has $free GB free, and each preset needs 6" >&2
  exit 1
fi

timed 'installing packages' \
  utils/install-dependencies.sh --llvm "$llvm" ${peers:+--peers} --tests
# Where its sources cannot be fetched the rest can still be tested.
if [ -n "$build_lldb" ] && ! timed 'building LLDB' utils/build-lldb.sh; then
  echo "utils/build-lldb.sh failed: what needs that LLDB will not run" >&2
fi
if [ -n "$llvm_tests" ] &&
  ! timed "fetching LLVM's tests" utils/fetch-llvm-tests.sh; then
  echo "utils/fetch-llvm-tests.sh failed: LLVM's own tests will not run" >&2
fi

if [ -n "$peers" ] &&
  ! timed 'installing profiler-cli' utils/peer-tests/install-profiler-cli.sh; then
  echo "utils/peer-tests/install-profiler-cli.sh failed: its test will not run" >&2
fi

# What the tests of --peers require (test/lit.cfg.py).
if [ -n "$peers" ]; then
  features='blazesym|cargo|chromium|go-module|llvm-tests|perf|profiler-cli|rustc|symbolic|versitygw'
  LIT_FILTER=$(cd test && grep -rlE --include='*.test' --exclude-dir=Inputs \
    "REQUIRES:.*\b($features)\b" . | sed 's|^\./||' | paste -sd '|')
  export LIT_FILTER
fi

# Each preset is tested, even if the previous one failed.
status=0
results=$(mktemp -d)
trap 'rm -r "$results"' EXIT
for preset; do
  # The first build of a folder compiles files in groups, which takes three quarters of
  # the time. A folder that is there keeps what it has.
  unity=-DLIDIA_UNITY_BUILD=ON
  case $preset in
  release*) folder=build${preset#release} ;;
  *) folder=build-$preset ;;
  esac
  [ ! -e "$folder/CMakeCache.txt" ] || unity=
  cmake --preset "$preset" $unity >/dev/null &&
    timed "$preset: building" cmake --build --preset "$preset" &&
    timed "$preset: building what the tests run" \
      cmake --build --preset "$preset" --target lidia-test-programs &&
    timed "$preset: tests" env LIDIA_RESULT_FILE="$results/$preset" \
      cmake --build --preset "$preset" --target check-lidia || status=1
done

if [ -n "$peers" ]; then
  if timed "fetching the binaries of LLVM's tests" utils/peer-tests/fetch.sh; then
    timed "comparing the binaries of LLVM's tests" utils/peer-tests/compare.py \
      --llvm-lidia build/bin/llvm-lidia \
      "${XDG_CACHE_HOME:-$HOME/.cache}/lidia-peer-tests/llvm-$llvm" || status=1
  else
    echo "utils/peer-tests/fetch.sh failed: the binaries of LLVM's tests were not compared" >&2
  fi
fi

# The packages are for this system's release of Debian.
make_minimal_system() {
  utils/install-dependencies.sh --llvm "$llvm" --packages &&
    utils/try-in-minimal-root.sh --suite "$release" \
      'apt-get -qq -o APT::Update::Error-Mode=any update'
}
try_packages() {
  cpack -G DEB --config build/CPackConfig.cmake -B build/packages >build/packages.log ||
    { tail build/packages.log >&2 && return 1; }
  lintian --fail-on error,warning build/packages/*.deb &&
    utils/try-in-minimal-root.sh --suite "$release" --copy build/packages \
      'utils/try-packages.sh packages'
}
if [ -n "$packages" ]; then
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-none}")
  if ! timed 'making a minimal system' make_minimal_system >build/packages.log 2>&1; then
    tail build/packages.log >&2
    packages='Packages: not tried, as no minimal system can be made'
  elif timed 'packages' try_packages; then
    packages='Packages: installed, used and removed'
  else
    packages='Packages: see above' status=1
  fi
fi

if [ -n "$style" ]; then
  if timed 'style and clang-tidy' utils/check-style.sh --tidy "build"; then
    style='Style: nothing found'
  else
    style='Style: see above' status=1
  fi
fi

# The totals come last: "N passed, N failed, N skipped".
echo
echo 'Times:'
printf '%s' "$times"
passed=0 failed=0 skipped=0
for preset; do
  if [ -e "$results/$preset" ]; then
    echo "Preset $preset: $(cat "$results/$preset")"
    read -r p _ f _ s _ <"$results/$preset"
  else
    echo "Preset $preset: not tested, as it was not built"
    p=0 f=1 s=0
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
done
[ -z "$packages" ] || echo "$packages"
[ -z "$style" ] || echo "$style"
echo "$passed passed, $failed failed, $skipped skipped"
exit $status
