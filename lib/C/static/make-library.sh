#!/bin/sh
# Makes a static library of one object in which only lidia_* is visible.
#
#   make-library.sh LLVM-OBJCOPY OUTPUT OBJECT-OR-LIBRARY...
#
# Other arguments, such as shared libraries, are for the linker of the program: lidia.pc
# has them. Needs GNU ld, which can leave out in an object what nobody uses, and LLVM's
# objcopy: GNU's cannot hide symbols that are unique in the whole process.
set -eu
OBJCOPY=$1
OUTPUT=$2
shift 2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
# Names may contain blanks, so the arguments stay in "$@".
COUNT=$#
while [ "$COUNT" -gt 0 ]; do
  INPUT=$1
  shift
  case $INPUT in *.o | *.a) set -- "$@" "$INPUT" ;; esac
  COUNT=$((COUNT - 1))
done
for INPUT; do
  case $INPUT in *.o) nm --defined-only --extern-only --format=posix "$INPUT" ;; esac
done | sed -n 's/^\(lidia_[a-z_0-9]*\) T .*/\1/p' | sort -u > "$WORK/names"
# shellcheck disable=SC2046
ld -r --gc-sections --force-group-allocation $(sed 's/^/-u /' "$WORK/names") \
  -o "$WORK/all.o" --start-group "$@" --end-group
"$OBJCOPY" --strip-debug --keep-global-symbols="$WORK/names" "$WORK/all.o" "$WORK/lidia.o"
rm -f "$OUTPUT"
ar rcsD "$OUTPUT" "$WORK/lidia.o"
