#!/bin/sh
# Runs the judges of stacks and names, and prints their figures as a table.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/agreement/all.sh [--build FOLDER] [--programs N] [--addresses N]
                              [--languages LIST] CORPUS

Judges the stacks of N random programs (random-stacks.py; default: 200) and the names
and reasons for N addresses (default: 500) of each damaged program of CORPUS, which
build-corpus.sh has made (mutated-corpus.py). Prints a table in Markdown with what was
right, what it was out of, and the goal, after the differences. The exit status is 1 if a
goal is missed.

  --build FOLDER    the build of lidia (default: build)
  --languages LIST  only random programs in these languages (C,C++,Rust,Go,Fortran)
  --help            print this
USAGE
}

build=build programs=200 addresses=500 languages=
while [ $# -gt 1 ] || [ "${1:-}" = --help ]; do
  case $1 in
  --build) build=$2 ;;
  --programs) programs=$2 ;;
  --addresses) addresses=$2 ;;
  --languages) languages=$2 ;;
  --help) usage && exit ;;
  *) echo "unknown option $1: see --help" >&2 && exit 2 ;;
  esac
  shift 2
done
[ $# = 1 ] || { usage >&2 && exit 2; }
here=$(dirname "$0")
output=$(mktemp -d)
trap 'rm -r "$output"' EXIT
status=0

python3 "$here/random-stacks.py" --llvm-lidia "$build/bin/llvm-lidia" \
  --seeds "1-$programs" --least 99.9 ${languages:+--languages "$languages"} \
  >"$output/stacks" || status=1
python3 "$here/mutated-corpus.py" --build "$build" --addresses "$addresses" \
  --no-others "$1" >"$output/corpus" || status=1

grep '^seed' "$output/stacks" || true
echo '| judge | right | of | goal |'
echo '| --- | --- | --- | --- |'
# "C: 20 programs, 180 noted, 1 not in the debug information, 179 shown (...), ..."
sed -n 's/^\(.*\): \([0-9]*\) programs, \([0-9]*\) noted, \([0-9]*\) not in .*, \([0-9]*\) shown .*/\1 \2 \3 \4 \5/p' \
  "$output/stacks" | while read -r language count noted lacking shown; do
  echo "| stacks of $count programs in $language, frames | $shown | $((noted - lacking)) | 99.9 % |"
done
# "| all | addresses | names | marked | wrong, marked | wrong | misses | wrong code | ..."
awk -F ' *[|] *' '$2 == "all" {
  print "| names of damaged programs, right or marked | " $4 - $7 " | " $4 " | 99.9 % |"
  print "| reasons for missing names | " $8 - $9 " | " $8 " | 99 % |"
}' "$output/corpus"
exit $status
