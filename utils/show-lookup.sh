#!/bin/sh
# Looks up an address of a binary with llvm-symbolizer and with llvm-lidia, and
# compares answers, times, memory and sizes.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/show-lookup.sh LLVM-LIDIA BINARY [ADDRESS]

Makes the archive of BINARY in a temporary folder and looks ADDRESS up in it, and
in the binary by llvm-symbolizer. Shows both answers, or that they are the same,
the time and memory that each took, and the sizes of debug information and
archive. Without ADDRESS it takes one with many inlined calls.

  --help  print this
USAGE
}

case ${1:-} in
--help) usage && exit ;;
esac
[ $# -eq 2 ] || [ $# -eq 3 ] || {
  usage >&2
  exit 2
}
lidia=$1
binary=$2
address=${3:-}

find_tool() {
  for place in "/usr/lib/llvm-19/bin/$1" "$1-19" "$1"; do
    command -v "$place" && return
  done
  echo "$1 was not found: install the package llvm-19" >&2
  return 1
}
symbolizer=$(find_tool llvm-symbolizer)
size=$(find_tool llvm-size)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
archive=$folder/archive.lidia

# Runs a command with its output in $folder/$1 and sets $ms to its duration in
# milliseconds. For a short command, this is the best of three runs, because the first
# may wait for the disk.
timed() {
  output=$folder/$1
  shift
  ms=
  for _ in 1 2 3; do
    start=$(date +%s%N)
    "$@" >"$output"
    took=$((($(date +%s%N) - start) / 10000))
    [ -n "$ms" ] && [ "$ms" -le "$took" ] || ms=$took
    [ "$took" -lt 100000 ] || break
  done
  ms=$(awk "BEGIN { printf \"%.2f\", $ms / 100 }")
}

# Sets $kb to the peak memory of a command after it answers the address on its standard
# input.
peak_memory() {
  mkfifo "$folder/in"
  : >"$folder/out"
  "$@" <"$folder/in" >"$folder/out" &
  pid=$!
  exec 3>"$folder/in"
  echo "$address" >&3
  while [ ! -s "$folder/out" ] && kill -0 $pid 2>/dev/null; do
    sleep 0.02
  done
  kb=$(awk '/^VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null || :)
  exec 3>&-
  wait $pid || :
  rm "$folder/in"
}

# An answer with template arguments spelled as by the demangler.
close_brackets() {
  sed -e ':again' -e 's/> >/>>/' -e 't again' "$folder/$1"
}

# Formats a number of bytes as "12.3 MB".
readable() {
  awk "BEGIN { if ($1 < 1e6) printf \"%.1f kB\", $1 / 1e3
              else printf \"%.1f MB\", $1 / 1e6 }"
}

printf '+ llvm-lidia --crc --columns %s\n' "$binary"
start=$(date +%s%N)
"$lidia" --quiet --crc --columns "$binary" -o "$archive"
made=$((($(date +%s%N) - start) / 1000000))

# The first address of a range of maximum depth, up to eight. Not in a piece that was
# split off a function (with an "entry" elsewhere), because llvm-symbolizer prints the
# symbol's name, "f.cold", for these.
[ -n "$address" ] || address=$("$lidia" dump --ranges "$archive" | awk '
  $3 == "depth" && $4 == 0 { piece = / entry / }
  $3 == "depth" && $4 <= 8 && !piece && (at == "" || $4 > depth) {
    split($2, addresses, "[.]"); at = addresses[1]; depth = $4
  }
  END { print at }')

# Archives have linkage names. Those of Rust's older mangling lack the type arguments,
# which short names in DWARF have, and LLVM demangles them as C++ names.
names=--functions=short
style=
if "$lidia" lookup --no-demangle "$archive" "$address" |
    grep -Eq '^_ZN.*17h[0-9a-f]{16}E'; then
  names=--functions=linkage
  style=" --rust-names=llvm"
fi

timed symbolizer "$symbolizer" $names -p -s --obj="$binary" "$address"
symbolizer_ms=$ms
timed lidia "$lidia" lookup $names$style -p -s "$archive" "$address"
lidia_ms=$ms
peak_memory "$symbolizer" $names -p -s --obj="$binary"
symbolizer_kb=$kb
peak_memory "$lidia" lookup $names$style -p -s "$archive"
lidia_kb=$kb

printf '\n+ llvm-symbolizer %s -p -s --obj=%s %s\n' $names "$binary" "$address"
cat "$folder/symbolizer"
printf '+ llvm-lidia lookup %s -p -s %s.lidia %s\n' "$names$style" "${binary##*/}" "$address"
if cmp -s "$folder/symbolizer" "$folder/lidia"; then
  echo "(the same, byte for byte)"
elif close_brackets symbolizer | cmp -s - "$folder/lidia"; then
  echo "(the same, but for >> where GCC's DWARF has > >)"
else
  cat "$folder/lidia"
fi

dwarf=$("$size" -A "$binary" | awk '/^\.z?debug_/ { sum += $2 } END { print sum + 0 }')
printf '\n%-28s%18s%14s\n' "" llvm-symbolizer llvm-lidia
printf '%-28s%15s ms%11s ms\n' "One lookup with start-up" "$symbolizer_ms" "$lidia_ms"
[ -z "$symbolizer_kb" ] || [ -z "$lidia_kb" ] ||
  printf '%-28s%18s%14s\n' "Peak memory" \
    "$(readable "$symbolizer_kb"e3)" "$(readable "$lidia_kb"e3)"
printf '%-28s%18s%14s\n' "Reads DWARF, an archive of" "$(readable "$dwarf")" \
  "$(readable "$(wc -c <"$archive")")"
echo "The archive was made in $made ms."
