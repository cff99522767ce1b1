#!/bin/sh
# Builds the files that a session needs for one program or shared library:
#
#   make-program.sh FOLDER NAME [CLANG'S ARGUMENTS...]
#
# makes, with clang or $CC, FOLDER/dwarf/NAME with DWARF, FOLDER/stripped/NAME with only
# dynamic symbols, and FOLDER/NAME.lidia, the archive of the first, made with the further
# options in $ARCHIVE_OPTIONS.
set -eu
folder=$1
name=$2
shift 2
mkdir -p "$folder/dwarf" "$folder/stripped"
"${CC:-clang}" -g -Wl,--build-id "$@" -o "$folder/dwarf/$name"
llvm-strip --strip-all "$folder/dwarf/$name" -o "$folder/stripped/$name"
# shellcheck disable=SC2086 # options are words
llvm-lidia --crc --lines --columns ${ARCHIVE_OPTIONS:-} "$folder/dwarf/$name" \
  -o "$folder/$name.lidia"
