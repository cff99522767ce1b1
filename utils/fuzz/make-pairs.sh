#!/bin/sh
# Makes inputs for fuzzing.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/fuzz/make-pairs.sh [FOLDER]

Makes small inputs for the fuzz target "pair" in FOLDER (default: pairs): 3 to 4 KiB
each, instead of the 18 KiB of linked programs, which have empty pages. Needs binutils,
gcc, clang-19, llvm-dwp-19 and dwz.

  --help  print this
USAGE
}

. "$(dirname "$0")/../one-operand.inc"

mkdir -p "${1:-pairs}"
to=$(cd "${1:-pairs}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >t.c <<'SOURCE'
static inline __attribute__((always_inline)) int in(int a) { return a * 3 + 1; }
int f(int a) {
  if (a > 2)
    a = in(a);
  return a + in(a + 1);
}
SOURCE
cat >t.cc <<'SOURCE'
struct S { int m(int a) { return a * 3; } };
inline int in(int a) { S s; return s.m(a) + 1; }
int f(int a) { return in(a) + in(a + 1); }
SOURCE
cat >s.c <<'SOURCE'
struct point { int x, y; long z; char name[16]; struct point *next; };
struct line { struct point a, b; unsigned color; struct line *other; };
static inline __attribute__((always_inline)) int in(struct point *p) {
  return p->x * 3 + p->y;
}
int NAME(struct line *l) {
  int r = in(&l->a);
  if (r > 4)
    r += in(&l->b);
  return r;
}
SOURCE

# compile COMPILER SOURCE NAME FLAG...: NAME.o and NAME.elf, which has no padding.
compile() {
  compiler=$1 source=$2 output=$3
  shift 3
  "$compiler" -O1 "$@" "-fdebug-prefix-map=$work=." -ffreestanding \
    -fno-asynchronous-unwind-tables -c "$source" -o "$output.o"
  ld -n -z noseparate-code --no-eh-frame-hdr --build-id=sha1 -e 0 "$output.o" -o "$output.elf"
  objcopy -R .comment -R .note.gnu.property "$output.elf"
}

# pair NAME OTHER: the input of OTHER and a.elf, as PairFuzzer.cpp describes it.
pair() {
  cat "$2" a.elf >"$to/$1"
  perl -e 'print pack("V", -s shift)' "$2" >>"$to/$1"
}

# split NAME COMPILER SOURCE FLAG...: a .dwo file, and a package.
split() {
  name=$1 compiler=$2 source=$3
  shift 3
  compile "$compiler" "$source" t -gsplit-dwarf "$@"
  mv t.elf a.elf
  llvm-dwp-19 t.dwo -o a.elf.dwp
  pair "small-$name-dwo" t.dwo
  pair "small-$name-dwp" a.elf.dwp
}

split gcc4 gcc t.c -gdwarf-4
split gcc5 gcc t.c -gdwarf-5
split clang5 clang-19 t.c -gdwarf-5
split types4 g++ t.cc -gdwarf-4 -fdebug-types-section
split types5 clang++-19 t.cc -gdwarf-5 -fdebug-types-section
for version in 4 5; do
  for name in a b; do
    compile gcc s.c $name -gdwarf-$version -DNAME=f$name
  done
  dwz -m common.debug a.elf b.elf
  pair small-dwz$version common.debug
done
