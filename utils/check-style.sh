#!/bin/sh
# Checks the style that CONTRIBUTING.md demands.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/check-style.sh [--tidy BUILD]

Checks with clang-format-19 that all C and C++ files of the project are formatted,
and that git has binary files only where they belong: fixtures in test, pictures in
docs. The exit status is 0 if nothing is found.

  --tidy BUILD  and run the checks of .clang-tidy with clang-tidy-19 on what the
                build folder BUILD was built from; takes some minutes
  --help        print this
USAGE
}

build=
case ${1:-} in
'') ;;
--tidy)
  [ $# = 2 ] || { usage >&2 && exit 2; }
  build=$(cd "$2" && pwd)
  ;;
--help) usage && exit ;;
*) echo "unknown option $1: see --help" >&2 && exit 2 ;;
esac
cd "$(dirname "$0")/.."

status=0
# Fixtures contain the line numbers of their sources.
find examples include lib llvm-lidia lldb-plugin python utils test \
  -path '*/Inputs' -prune -o \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) \
  -type f -print0 | sort -z |
  xargs -0 clang-format-19 --dry-run --Werror || status=1

# Against the empty tree, git shows "-" in place of a binary file's number of lines.
# Where git is missing, there is nothing to commit either.
binaries=
if command -v git >/dev/null; then
  empty=$(git hash-object -t tree /dev/null)
  binaries=$(git diff --numstat "$empty" -- . ':!test' ':!docs/*.png' |
    grep '^-' | cut -f 3)
fi
if [ -n "$binaries" ]; then
  printf 'Binary files outside test/:\n%s\n' "$binaries" >&2
  status=1
fi

if [ -n "$build" ]; then
  # Files in groups take a quarter of the time. A group's file includes sources, and the
  # order of includes is checked for main files only: clang-format sorts includes.
  utils/group-for-tidy.py "$build" "$build/tidy"
  run-clang-tidy-19 -quiet -p "$build/tidy" -warnings-as-errors='*' \
    -header-filter='/(lib|llvm-lidia|lldb-plugin)/.*\.cpp$' \
    -checks='-bugprone-suspicious-include,-llvm-include-order' \
    >"$build/clang-tidy.log" 2>&1 || {
    grep -E '^/.*(warning|error):|^Error' -A 3 "$build/clang-tidy.log" >&2 ||
      tail "$build/clang-tidy.log" >&2
    status=1
  }
fi
exit $status
