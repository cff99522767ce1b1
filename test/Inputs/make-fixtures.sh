#!/bin/bash
#===- make-fixtures.sh - How the checked-in binaries were made ------------===#
#
# Part of the lidia project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: make-fixtures.sh [-o DIR] [-l] [NAME...]
#
# Remakes the named fixtures, or all of them, in this directory (or DIR). A fixture
# whose tools are not installed is left unchanged, with a message. -l lists the names.
# The tests use the checked-in files, never this script: addresses and lines in the
# tests are valid only for exactly these bytes.
#
# Recipes run in a scratch copy of src/, which the debug information calls /src, so the
# same tools give the same bytes in any folder. Made on Debian 12 with
#
#   gcc, g++ 12.2.0-14+deb12u1      binutils 2.40-2
#   gcc-12-{aarch64-linux-gnu,arm-linux-gnueabihf,s390x-linux-gnu} 12.2.0-14cross1
#   gcc-12-{powerpc64-linux-gnu,riscv64-linux-gnu} 12.2.0-13cross1
#   clang-19, lld-19, llvm-19 19.1.7-3~deb12u1
#   gfortran, gnat, gdc 12.2.0-14+deb12u1      ldc 1:1.30.0-1+b1
#   gcc-mingw-w64-{x86-64,i686} 12.2.0-14+25.2, binutils-mingw-w64 2.40-2+10.4
#   rustc 1.95.0 (59807616e 2026-04-14)      dwz 0.15-1
#
#===-----------------------------------------------------------------------===#

set -euo pipefail

Here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
Out=$Here
List=
while getopts o:l Option; do
  case $Option in
    o) mkdir -p "$OPTARG"; Out=$(cd "$OPTARG" && pwd) ;;
    l) List=1 ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
Wanted=("$@")

Scratch=$(mktemp -d)
trap 'rm -rf "$Scratch"' EXIT
Src=$Scratch/src
export LC_ALL=C SOURCE_DATE_EPOCH=0 ZERO_AR_DATE=1

# The tools. A recipe that names a missing tool is not run.
Tools=(GCC GXX GFORTRAN GNATMAKE GDC LDC CLANG CLANGXX RUSTC AARCH64 ARM RISCV
       PPC64 S390X LD LLD OBJCOPY LLVM_OBJCOPY STRIP DWZ XZ MINGW MINGWXX
       MINGW32 MINGWXX32 MINGW_STRIP MINGW_OBJCOPY LD64 DSYMUTIL LIPO
       LLVM_AR)
GCC=x86_64-linux-gnu-gcc-12
GXX=x86_64-linux-gnu-g++-12
GFORTRAN=x86_64-linux-gnu-gfortran-12
GNATMAKE=x86_64-linux-gnu-gnatmake-12
GDC=x86_64-linux-gnu-gdc-12
LDC=ldc2
CLANG=clang-19
CLANGXX=clang++-19
RUSTC=rustc
AARCH64=aarch64-linux-gnu-gcc-12
ARM=arm-linux-gnueabihf-gcc-12
RISCV=riscv64-linux-gnu-gcc-12
PPC64=powerpc64-linux-gnu-gcc-12
S390X=s390x-linux-gnu-gcc-12
MINGW=x86_64-w64-mingw32-gcc
MINGWXX=x86_64-w64-mingw32-g++
MINGW_STRIP=x86_64-w64-mingw32-strip
MINGW_OBJCOPY=x86_64-w64-mingw32-objcopy
CLANG_CL=clang-cl-19
LLD_LINK=lld-link-19
LD64=ld64.lld-19
WASM_LD=wasm-ld-19
DSYMUTIL=dsymutil-19
LLVM_AR=llvm-ar-19
LIPO=llvm-lipo-19
MINGW32=i686-w64-mingw32-gcc
MINGWXX32=i686-w64-mingw32-g++
LD=x86_64-linux-gnu-ld.bfd
LLD=ld.lld-19
OBJCOPY=x86_64-linux-gnu-objcopy
LLVM_OBJCOPY=llvm-objcopy-19
STRIP=x86_64-linux-gnu-strip
DWZ=dwz
XZ=xz

# Freestanding and without unwind tables, so that files stay small.
PLAIN="-ffreestanding -fno-asynchronous-unwind-tables -fno-stack-protector
  -fdebug-prefix-map=$Src=/src"
# x86 only.
X86="$PLAIN -fcf-protection=none"
# For clang, which gets its compilation directory from another option.
CLANGFLAGS="-ffreestanding -fno-asynchronous-unwind-tables -fno-stack-protector
  -fdebug-prefix-map=$Src=/src -fdebug-compilation-dir=/src"
CXX='-std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics'
# Linking with GNU ld and with LLD.
BFD='-nostdlib -Wl,--build-id=sha1 -Wl,-z,noseparate-code
  -Wl,-z,max-page-size=4096'
LLDFLAGS='-fuse-ld=lld -nostdlib -Wl,--build-id=sha1 -Wl,--no-rosegment
  -Wl,-z,norelro -Wl,-z,max-page-size=4096'

# fixture NAME RECIPE: RECIPE writes the file $O in the scratch directory.
fixture() {
  local Name=$1 Recipe=$2 Tool O=out.bin
  if [[ ${#Wanted[@]} -gt 0 && ! " ${Wanted[*]} " == *" $Name "* ]]; then
    return
  fi
  if [[ -n $List ]]; then
    echo "$Name"
    return
  fi
  for Tool in "${Tools[@]}"; do
    if [[ $Recipe =~ \$$Tool([^A-Z0-9_]|$) ]] &&
       ! command -v "${!Tool}" >/dev/null; then
      echo "$Name: left as it is, ${!Tool} is not installed" >&2
      return
    fi
  done
  rm -rf "$Src"
  cp -r "$Here/src" "$Src"
  # Not in a condition, in which bash would continue after a failed command.
  (trap 'echo "$Name: FAILED" >&2' ERR; cd "$Src"; eval "$Recipe")
  cp "$Src/$O" "$Out/$Name"
  chmod 644 "$Out/$Name"
}

#===- C, calls inlined ten deep -------------------------------------------===#

for Version in 2 3 4 5; do
  Strict=; [[ $Version -lt 4 ]] && Strict=-gstrict-dwarf
  fixture inline-gcc-O2-dwarf$Version.elf \
    '$GCC $X86 -O2 -gdwarf-'$Version' '$Strict' -static $BFD inline.c -o $O'
done
fixture inline-gcc-O2-dwarf64.elf \
  '$GCC $X86 -O2 -gdwarf-5 -gdwarf64 -static $BFD inline.c -o $O'
fixture inline-gcc-O0.elf '$GCC $X86 -O0 -g -static $BFD inline.c -o $O'
fixture inline-gcc-O1.elf '$GCC $X86 -O1 -g -static $BFD inline.c -o $O'
fixture inline-gcc-O2-g1.elf '$GCC $X86 -O2 -g1 -static $BFD inline.c -o $O'

for Version in 2 3 4 5; do
  fixture inline-clang-O2-dwarf$Version.elf \
    '$CLANG $CLANGFLAGS -O2 -gdwarf-'$Version' -static $LLDFLAGS inline.c -o $O'
done
fixture inline-clang-O2-dwarf64.elf \
  '$CLANG $CLANGFLAGS -O2 -gdwarf-5 -gdwarf64 -static $LLDFLAGS inline.c -o $O'
fixture inline-clang-O0.elf \
  '$CLANG $CLANGFLAGS -O0 -g -static $LLDFLAGS inline.c -o $O'
fixture inline-clang-O1.elf \
  '$CLANG $CLANGFLAGS -O1 -g -static $LLDFLAGS inline.c -o $O'
fixture inline-clang-O2-gmlt.elf \
  '$CLANG $CLANGFLAGS -O2 -gmlt -static $LLDFLAGS inline.c -o $O'
# Only the skeletons; the .dwo file is not kept.
fixture split-gcc.elf \
  '$GCC $X86 -O2 -g -gsplit-dwarf -c inline.c -o inline.o
   $GCC -static $BFD inline.o -o $O'
fixture split-clang.elf \
  '$CLANG $CLANGFLAGS -O2 -g -gsplit-dwarf -c inline.c -o inline.o
   $CLANG -static $LLDFLAGS inline.o -o $O'
# Skeletons that also contain inlined calls.
fixture split-clang-inlining.elf \
  '$CLANG $CLANGFLAGS -O2 -g -gsplit-dwarf -fsplit-dwarf-inlining \
     -c inline.c -o inline.o
   $CLANG -static $LLDFLAGS inline.o -o $O'

#===- C++, scopes and names -----------------------------------------------===#

for Level in O0 O2; do
  fixture scopes-gcc-$Level.elf \
    '$GXX $X86 $CXX -'$Level' -g -static $BFD scopes.cpp -o $O'
  fixture scopes-clang-$Level.elf \
    '$CLANGXX $CLANGFLAGS $CXX -'$Level' -g -static $LLDFLAGS scopes.cpp -o $O'
done
# Linkage names only on abstract origins.
fixture scopes-clang-abstract-names.elf \
  '$CLANGXX $CLANGFLAGS $CXX -O2 -g -mllvm -dwarf-linkage-names=Abstract \
     -static $LLDFLAGS scopes.cpp -o $O'
fixture scopes-clang-gmlt.elf \
  '$CLANGXX $CLANGFLAGS $CXX -O2 -gmlt -static $LLDFLAGS scopes.cpp -o $O'
fixture scopes-gcc-g1.elf \
  '$GXX $X86 $CXX -O2 -g1 -static $BFD scopes.cpp -o $O'
# Classes in separate units: DW_FORM_ref_sig8.
fixture scopes-gcc-types-dwarf5.elf \
  '$GXX $X86 $CXX -O0 -gdwarf-5 -fdebug-types-section -static $BFD scopes.cpp -o $O'
fixture scopes-gcc-types-dwarf4.elf \
  '$GXX $X86 $CXX -O0 -gdwarf-4 -fdebug-types-section -static $BFD scopes.cpp -o $O'
# Here only the type units name the classes, and functions have no linkage names:
# the program of scopes-clang-abstract-names.elf.
for Version in 4 5; do
  TYPES='$CLANGXX $CLANGFLAGS $CXX -O2 -gdwarf-'$Version' -fdebug-types-section
     -mllvm -dwarf-linkage-names=Abstract'
  fixture types-clang-dwarf$Version.elf \
    "${TYPES//$'\n'/} -static \$LLDFLAGS scopes.cpp -o \$O"
  fixture types-clang-dwarf$Version-split.elf \
    "${TYPES//$'\n'/} -gsplit-dwarf -c scopes.cpp -o t.o
     \$CLANGXX -static \$LLDFLAGS t.o -o \$O
     cp t.dwo \$Out/types-clang-dwarf$Version-t.dwo"
  # Each type unit is in its own group.
  fixture types-clang-dwarf$Version.o \
    "${TYPES//$'\n'/} -c scopes.cpp -o \$O"
done
# Partial units (DW_TAG_imported_unit).
fixture dwz.elf \
  '$GXX $X86 $CXX -O1 -gdwarf-4 -c scopes.cpp
   $GXX $X86 $CXX -O2 -gdwarf-4 -c scopes.cpp -o again.o
   $OBJCOPY --prefix-symbols=again_ again.o
   $GXX -static $BFD scopes.o again.o -o $O
   $DWZ $O'

#===- Split DWARF ---------------------------------------------------------===#

# Two units with their .dwo files, and the same program in one piece. Without
# build IDs their archives are the same.
SPLITBFD="$BFD -Wl,--build-id=none -Wl,-z,muldefs"
SPLITLLD="$LLDFLAGS -Wl,--build-id=none -Wl,-z,muldefs"
# A file and its .dwo files must come from one run, because gcc's IDs differ in the
# next.
for Version in 4 5; do
  for Split in '' -gsplit-dwarf; do
    Name=dwarf$Version-whole; Keep=true
    if [[ -n $Split ]]; then
      Name=dwarf$Version-split
      Keep='for Unit in s i; do cp $Unit.dwo $Out/${Name%split.elf}$Unit.dwo; done'
    fi
    fixture two-gcc-$Name.elf \
      '$GXX $X86 $CXX -O2 -gdwarf-'$Version' '$Split' -c scopes.cpp -o s.o
       $GCC $X86 -O2 -gdwarf-'$Version' '$Split' -c inline.c -o i.o
       $GXX -static $SPLITBFD s.o i.o -o $O
       '"$Keep"
    fixture two-clang-$Name.elf \
      '$CLANGXX $CLANGFLAGS $CXX -O2 -gdwarf-'$Version' '$Split' -c scopes.cpp -o s.o
       $CLANG $CLANGFLAGS -O2 -gdwarf-'$Version' '$Split' -c inline.c -o i.o
       $CLANGXX -static $SPLITLLD s.o i.o -o $O
       '"$Keep"
  done
done

#===- What linkers do to functions ----------------------------------------===#

SECTIONS='-ffunction-sections -Wl,--gc-sections'
fixture discarded-bfd-dwarf5.elf \
  '$GXX $X86 $CXX -O2 -gdwarf-5 $SECTIONS -static $BFD discarded.cpp -o $O'
fixture discarded-bfd-dwarf4.elf \
  '$GXX $X86 $CXX -O2 -gdwarf-4 $SECTIONS -static $BFD discarded.cpp -o $O'
fixture discarded-lld-dwarf5.elf \
  '$CLANGXX $CLANGFLAGS $CXX -O2 -gdwarf-5 $SECTIONS -static $LLDFLAGS discarded.cpp -o $O'
fixture discarded-lld-dwarf4.elf \
  '$CLANGXX $CLANGFLAGS $CXX -O2 -gdwarf-4 $SECTIONS -static $LLDFLAGS discarded.cpp -o $O'
# The tombstone that DWARF 6 proposes.
fixture discarded-lld-minus1.elf \
  '$CLANGXX $CLANGFLAGS $CXX -O2 -g $SECTIONS -static $LLDFLAGS discarded.cpp -o $O \
     -Wl,-z,dead-reloc-in-nonalloc=.debug_*=0xffffffffffffffff'
# Firmware: a function is at address 0, and so are the discarded ones.
fixture discarded-at-zero.elf \
  '$GXX $X86 $CXX -O2 -g $SECTIONS -static $BFD -Wl,-Ttext=0 discarded.cpp -o $O'
Copies='copies-one.cpp copies-two.cpp copies-three.cpp'
fixture copies-gcc-dwarf5.elf '$GXX $X86 $CXX -O2 -gdwarf-5 -static $BFD $Copies -o $O'
fixture copies-gcc-dwarf4.elf '$GXX $X86 $CXX -O2 -gdwarf-4 -static $BFD $Copies -o $O'
fixture copies-clang.elf '$CLANGXX $CLANGFLAGS $CXX -O2 -g -static $BFD $Copies -o $O'
fixture folded-lld.elf \
  '$CLANG $CLANGFLAGS -O2 -g -ffunction-sections -Wl,--icf=all -static $LLDFLAGS folded.c -o $O'
fixture alias-gcc.elf '$GCC $X86 -O2 -g -static $BFD alias.c -o $O'
fixture alias-clang.elf '$CLANG $CLANGFLAGS -O2 -g -static $LLDFLAGS alias.c -o $O'
fixture cold-gcc-dwarf5.elf '$GCC $X86 -O2 -gdwarf-5 -static $BFD cold.c -o $O'
fixture cold-gcc-dwarf4.elf '$GCC $X86 -O2 -gdwarf-4 -static $BFD cold.c -o $O'
fixture cold-block-gcc.elf '$GCC $X86 -O2 -gdwarf-5 -static $BFD cold-block.c -o $O'
# Each basic block is in its own section, two of them before the others, and the line
# table has a sequence for each.
for Version in 4 5; do
  fixture blocks-clang-dwarf$Version.elf \
    'printf "%s\n" alsoSplit.__part.3 split.__part.2 interleaved >order
     $CLANG $CLANGFLAGS -O2 -gdwarf-'$Version' -fbasic-block-sections=all \
       -static $LLDFLAGS -Wl,--symbol-ordering-file=order cold.c -o $O'
done

#===- References across compile units -------------------------------------===#

fixture lto-gcc.elf \
  '$GCC $X86 -O2 -g -flto -frandom-seed=lidia -flto-partition=none -static $BFD \
     lto-one.c lto-two.c -o $O'
fixture lto-clang-full.elf \
  '$CLANG $CLANGFLAGS -O2 -g -flto -static $LLDFLAGS lto-one.c lto-two.c -o $O'
fixture lto-clang-thin.elf \
  '$CLANG $CLANGFLAGS -O2 -g -flto=thin -static $LLDFLAGS lto-one.c lto-two.c -o $O'

#===- Rows ----------------------------------------------------------------===#

fixture fragment-gcc-dwarf5.elf '$GCC $X86 -O1 -gdwarf-5 -static $BFD fragment.c -o $O'
fixture fragment-gcc-dwarf4.elf '$GCC $X86 -O1 -gdwarf-4 -static $BFD fragment.c -o $O'
fixture fragment-clang-dwarf5.elf '$CLANG $CLANGFLAGS -O1 -gdwarf-5 -static $LLDFLAGS fragment.c -o $O'
fixture fragment-clang-dwarf4.elf '$CLANG $CLANGFLAGS -O1 -gdwarf-4 -static $LLDFLAGS fragment.c -o $O'
fixture line0.elf \
  '$CLANG -gdwarf-5 -c line0.s -o line0.o
   $CLANG -static $LLDFLAGS line0.o -o $O'
fixture mixed.elf \
  '$GCC $X86 -O2 -g -c mixed-one.c
   $GCC $X86 -O2 -g0 -c mixed-two.c
   $CLANG $CLANGFLAGS -O2 -gdwarf-4 -c mixed-three.c
   $GCC -static $BFD mixed-one.o mixed-two.o mixed-three.o -o $O'

#===- Assembly ------------------------------------------------------------===#

fixture asm-gas-dwarf5.elf \
  '$GCC $X86 -gdwarf-5 -c asm-x86_64.s
   $GCC -static $BFD asm-x86_64.o -o $O'
fixture asm-gas-dwarf4.elf \
  '$GCC $X86 -gdwarf-4 -c asm-x86_64.s
   $GCC -static $BFD asm-x86_64.o -o $O'
fixture asm-gas-dwarf2.elf \
  '$GCC $X86 -gdwarf-2 -c asm-x86_64.s
   $GCC -static $BFD asm-x86_64.o -o $O'
fixture asm-clang.elf \
  '$CLANG -g -fdebug-prefix-map=$Src=/src -fdebug-compilation-dir=/src \
     -static $LLDFLAGS asm-x86_64.s -o $O'
fixture asm-nodebug.elf \
  '$GCC $X86 -g0 -c asm-x86_64.s
   $GCC -static $BFD asm-x86_64.o -o $O'

#===- Rust ----------------------------------------------------------------===#

RUST="--edition=2021 --crate-name=program --crate-type=bin --emit=obj
  -Cpanic=abort -Cforce-unwind-tables=no -Crelocation-model=static
  -Coverflow-checks=off -Ccodegen-units=1 -Cdebuginfo=2
  --remap-path-prefix=$Src=/src"
# At -O0 the core library's checks remain: their panics are never reached.
RUSTLD='--unresolved-symbols=ignore-all --build-id=sha1 --no-rosegment -z norelro -z max-page-size=4096 --gc-sections'
fixture rust-O2-v0.elf \
  '$RUSTC $RUST -Copt-level=2 -Csymbol-mangling-version=v0 program.rs -o program.o
   $LLD $RUSTLD program.o -o $O'
fixture rust-O0-v0.elf \
  '$RUSTC $RUST -Copt-level=0 -Csymbol-mangling-version=v0 program.rs -o program.o
   $LLD $RUSTLD program.o -o $O'
# The older mangling now needs an unstable option.
fixture rust-O2-legacy.elf \
  'RUSTC_BOOTSTRAP=1 $RUSTC $RUST -Copt-level=2 -Zunstable-options \
     -Csymbol-mangling-version=legacy program.rs -o program.o
   $LLD $RUSTLD program.o -o $O'

#===- Fortran, Ada, D -----------------------------------------------------===#

# Shared objects, so that the languages' libraries are not needed.
SHARED="${X86/-ffreestanding/} -fPIC"
for Level in O0 O2; do
  fixture fortran-$Level.elf \
    '$GFORTRAN $SHARED -'$Level' -g -shared $BFD shapes.f90 -o $O'
  fixture ada-$Level.elf \
    '$GNATMAKE -q -c -u $SHARED -gnatp -'$Level' -g nested.adb
     $GCC -shared $BFD nested.o -o $O'
  fixture d-gdc-$Level.elf \
    '$GDC $SHARED -fno-druntime -'$Level' -g -shared $BFD program.d -o $O'
  # ldc cannot map paths.
  fixture d-ldc-$Level.elf \
    '$LDC -betterC --relocation-model=pic -'$Level' -g --output-s program.d
     sed -i "s|$Src|/src|g" program.s
     $CLANG -fdebug-compilation-dir=/src -c program.s
     $LLD -shared --build-id=sha1 --no-rosegment -z norelro \
       -z max-page-size=4096 program.o -o $O'
done

#===- Machines ------------------------------------------------------------===#

fixture i386-gcc.elf '$GCC $X86 -m32 -O2 -g -static $BFD inline.c -o $O'
fixture i386-gcc-pie.elf \
  '$GCC $X86 -m32 -O2 -g -fPIE -static-pie $BFD inline.c -o $O'
fixture aarch64-gcc.elf '$AARCH64 $PLAIN -O2 -g -static $BFD inline.c -o $O'
fixture aarch64-clang.elf \
  '$CLANG --target=aarch64-linux-gnu $CLANGFLAGS -O2 -g -static $LLDFLAGS inline.c -o $O'
fixture arm-gcc.elf \
  '$ARM $PLAIN -march=armv7-a -mfpu=vfpv3-d16 -O2 -g -c thumb.c thumb-asm.s
   $ARM -static $BFD thumb.o thumb-asm.o -o $O'
# The second one also has call frame information.
fixture exidx-arm.elf \
  '$ARM $PLAIN -march=armv7-a+fp -mthumb -O2 -fexceptions -static $BFD exidx.c -o $O'
fixture exidx-arm-debug.elf \
  '$ARM $PLAIN -march=armv7-a+fp -mthumb -O2 -g -fexceptions -static $BFD exidx.c -o $O'
fixture arm-clang.elf \
  '$CLANG --target=armv7a-linux-gnueabihf $CLANGFLAGS -O2 -g -static $LLDFLAGS thumb.c thumb-asm.s -o $O'
fixture riscv64-gcc.elf '$RISCV $PLAIN -O2 -g -static $BFD relax.c -o $O'
fixture riscv64-clang.elf \
  '$CLANG --target=riscv64-linux-gnu $CLANGFLAGS -O2 -g -static $LLDFLAGS relax.c -o $O'
# ELFv1: function symbols point to descriptors in .opd.
fixture powerpc64-gcc.elf '$PPC64 $PLAIN -mabi=elfv1 -O2 -g -static $BFD inline.c -o $O'
fixture s390x-gcc.elf '$S390X $PLAIN -O2 -g -static $BFD inline.c -o $O'
fixture s390x-gcc-dwarf4.elf '$S390X $PLAIN -O2 -gdwarf-4 -static $BFD inline.c -o $O'
fixture mips-clang.elf \
  '$CLANG --target=mips-linux-gnu $CLANGFLAGS -O2 -g -fno-pic -mno-abicalls \
     -static $LLDFLAGS -Wl,-e,_start inline.c -o $O'

#===- Containers ----------------------------------------------------------===#

STATIC='$GCC $X86 -O2 -g -static $BFD plain.c'
fixture static.elf "$STATIC -o \$O"
fixture no-build-id.elf '$GCC $X86 -O2 -g -static $BFD -Wl,--build-id=none plain.c -o $O'
fixture pie.elf '$GCC $X86 -O2 -g -fPIE -static-pie $BFD plain.c -o $O'
fixture shared.elf '$GCC $X86 -O2 -g -fPIC -shared $BFD plain.c -o $O'
fixture relocatable.o '$GCC $X86 -O2 -g -ffunction-sections -c plain.c -o $O'
#===- Sections that begin at address 0 ------------------------------------===#

SECTIONS='$CLANG $CLANGFLAGS -O2 -g -c sections.c -o $O'
fixture sections-x86_64.o "$SECTIONS --target=x86_64-linux-gnu"
fixture sections-gcc-dwarf4.o '$GCC $X86 -O2 -gdwarf-4 -c sections.c -o $O'
fixture sections-compressed.o "$SECTIONS --target=x86_64-linux-gnu -gz=zlib"
fixture sections-aarch64.o "$SECTIONS --target=aarch64-linux-gnu"
# Tables with pairs that add and subtract, because the linker may shorten code.
fixture sections-riscv64.o "$SECTIONS --target=riscv64-linux-gnu -march=rv64gc"
# Addends in the section (SHT_REL).
fixture sections-i386.o "$SECTIONS --target=i386-linux-gnu"
fixture sections-arm.o "$SECTIONS --target=armv7-linux-gnueabihf -mthumb"
fixture sections-ppc64le.o "$SECTIONS --target=powerpc64le-linux-gnu"
fixture sections-s390x.o "$SECTIONS --target=s390x-linux-gnu"

#===- Containers, continued -----------------------------------------------===#

# The kernel's half of the address space.
fixture kernel-high.elf \
  '$GCC $X86 -O2 -g -fno-pic -mcmodel=kernel -static $BFD \
     -Wl,-Ttext-segment=0xffffffff81000000 plain.c -o $O'
# A stripped program, its debug file (the build IDs agree), and another program's.
fixture stripped.elf "$STATIC -o stripped.elf
  \$OBJCOPY --only-keep-debug stripped.elf stripped.debug
  \$OBJCOPY --strip-all --add-gnu-debuglink=stripped.debug stripped.elf \$O"
# Exported functions without a size before hidden ones, whose names are stripped.
fixture sizeless.elf '$GCC $X86 -O1 -fPIC -shared -fasynchronous-unwind-tables \
  $BFD sizeless.s sizeless.c -o $O && $STRIP $O'
fixture stripped.debug "$STATIC -o stripped.elf
  \$OBJCOPY --only-keep-debug stripped.elf \$O"
fixture other.debug '$GCC $X86 -O1 -g -static $BFD plain.c -o other.elf
  $OBJCOPY --only-keep-debug other.elf $O'
fixture symtab-only.elf "$STATIC -o \$O
  \$STRIP --strip-debug \$O"
fixture dynsym-only.elf '$GCC $X86 -O2 -g -fPIC -shared $BFD plain.c -o $O
  $STRIP --strip-all $O'
# As in Fedora: .gnu_debugdata has the symbols that .dynsym lacks.
fixture debugdata.elf '$GCC $X86 -O2 -g -fPIC -shared $BFD plain.c -o $O
  $OBJCOPY --only-keep-debug $O mini.debug
  echo hidden >keep
  $OBJCOPY -S --keep-symbols=keep mini.debug mini
  $XZ --threads=1 -f mini
  $STRIP --strip-all -R .comment $O
  $OBJCOPY --add-section .gnu_debugdata=mini.xz $O'
fixture no-symbols.elf "$STATIC -o \$O
  \$STRIP --strip-all \$O"
fixture compressed-zlib.elf "$STATIC -o \$O
  \$OBJCOPY --compress-debug-sections=zlib \$O"
fixture compressed-zlib-gnu.elf "$STATIC -o \$O
  \$OBJCOPY --compress-debug-sections=zlib-gnu \$O"
fixture compressed-zstd.elf "$STATIC -o \$O
  \$LLVM_OBJCOPY --compress-debug-sections=zstd \$O"
fixture compressed-s390x.elf '$S390X $PLAIN -O2 -g -static $BFD inline.c -o $O
  $LLVM_OBJCOPY --compress-debug-sections=zlib $O'

# Stubs of the procedure linkage table: called lazily, at once (third, whose
# address is taken, in .plt.got), with IBT in .plt.sec, and on other machines.
fixture plt-gcc.elf '$GCC $X86 -O1 -fPIC -shared $BFD plt.c -o $O'
fixture plt-now.elf '$GCC $X86 -O1 -fPIC -shared $BFD -Wl,-z,now plt.c -o $O'
fixture plt-ibt.elf '$GCC $PLAIN -O1 -fPIC -shared -fcf-protection $BFD \
  -Wl,-z,ibtplt plt.c -o $O'
fixture plt-lld.elf '$CLANG $CLANGFLAGS -O1 -fPIC -shared $LLDFLAGS plt.c -o $O'
fixture plt-i386.elf '$GCC $X86 -m32 -O1 -fPIC -shared $BFD plt.c -o $O'
fixture plt-aarch64.elf '$AARCH64 $PLAIN -O1 -fPIC -shared $BFD plt.c -o $O'
fixture plt-aarch64-bti.elf '$AARCH64 $PLAIN -O1 -fPIC -shared $BFD \
  -mbranch-protection=standard -Wl,-z,pac-plt plt.c -o $O'
fixture plt-arm.elf '$ARM $PLAIN -O1 -fPIC -shared $BFD plt.c -o $O'
fixture plt-riscv64.elf '$RISCV $PLAIN -O1 -fPIC -shared $BFD plt.c -o $O'
fixture plt-ifunc.elf '$GCC $X86 -O1 -fPIC -shared $BFD ifunc.c -o $O'
fixture plt-ifunc-aarch64.elf '$CLANG $CLANGFLAGS --target=aarch64-linux-gnu -O1 -fPIC -shared \
  $LLDFLAGS ifunc.c -o $O'
fixture plt-s390x.elf '$S390X $PLAIN -O1 -fPIC -shared $BFD plt.c -o $O'

#===- PE/COFF -------------------------------------------------------------===#

# Programs from GNU ld, with a time of 0 in their headers.
PE='-nostdlib -Wl,--no-insert-timestamp'
fixture inline-mingw.exe \
  '$MINGW $X86 -O2 -g $PE -Wl,--build-id -Wl,-e,_start inline.c -o $O'
fixture scopes-mingw.exe \
  '$MINGWXX $X86 $CXX -O2 -g $PE -Wl,-e,_start scopes.cpp -o $O'
fixture inline-mingw-i386.exe \
  '$MINGW32 $X86 -O2 -g $PE -Wl,-e,__start inline.c -o $O'
fixture scopes-mingw-i386.exe \
  '$MINGWXX32 $X86 $CXX -O2 -g $PE -Wl,-e,__start scopes.cpp -o $O'
fixture inline-lld.exe \
  '$CLANG --target=x86_64-w64-mingw32 $CLANGFLAGS -O2 -g -c inline.c -o inline.o
  $LLD -m i386pep --no-insert-timestamp -e _start inline.o -o $O'
# Objects. The functions of the second one have sections of their own.
fixture inline.obj \
  '$CLANG --target=x86_64-w64-mingw32 $CLANGFLAGS -O2 -g -c inline.c -o $O'
fixture scopes.obj \
  '$CLANGXX --target=x86_64-w64-mingw32 $CLANGFLAGS $CXX -O2 -g \
    -ffunction-sections -c scopes.cpp -o $O'
fixture inline-i386.obj \
  '$CLANG --target=i686-w64-mingw32 $CLANGFLAGS -O2 -g -c inline.c -o $O'
fixture inline-arm64.obj \
  '$CLANG --target=aarch64-w64-mingw32 $CLANGFLAGS -O2 -g -c inline.c -o $O'
# With unwind tables.
WINDOWS='
  $CLANG --target=$Arch-w64-mingw32 -ffreestanding -fno-stack-protector \
    -funwind-tables -O2 -c frames.c
  $LLD -m $Mode --no-insert-timestamp -e _start frames.o -o $O'
fixture pdata-x64.exe "Arch=x86_64 Mode=i386pep; $WINDOWS"
fixture pdata-arm64.exe "Arch=aarch64 Mode=arm64pe; $WINDOWS"
# The export table also has the name of another DLL's function.
fixture exports.dll '$MINGW $X86 -O2 -g -shared $PE -Wl,-e,exported exports.c \
    exports.def -o $O
  $MINGW_STRIP $O'
# From LLD's counterpart of Microsoft's linker, with a PDB file that the program names.
MSVC='
  $CLANG_CL --target=$Triple -O2 -Z7 -gcolumn-info \
    -gno-codeview-command-line \
    -fdebug-compilation-dir=/src -Xclang -object-file-name=/src/msvc.obj \
    -c msvc.cpp
  $CLANG_CL --target=$Triple -O2 -c msvc-nodebug.cpp
  $LLD_LINK -nodefaultlib -subsystem:console -debug -Brepro \
    -entry:mainCRTStartup -safeseh:no -pdbsourcepath:/src \
    -pdbaltpath:$Name.pdb msvc.obj msvc-nodebug.obj -out:$Name.exe'
for Kind in 'x86_64 msvc' 'i686 msvc-i386'; do
  MSVCKind="Triple=${Kind% *}-pc-windows-msvc Name=${Kind#* }; $MSVC"
  fixture "${Kind#* }.exe" "$MSVCKind; mv \$Name.exe \$O"
  fixture "${Kind#* }.pdb" "$MSVCKind; mv \$Name.pdb \$O"
done
fixture trap.wasm \
  '$CLANG --target=wasm32 $CLANGFLAGS -O2 -g -c trap.c -o trap.o
  $WASM_LD --no-entry --build-id trap.o -o trap.wasm; mv trap.wasm $O'
MINGWPLAIN='$MINGW $X86 -O2 -g $PE -Wl,-e,_start plain.c'
fixture stripped.exe "$MINGWPLAIN -o stripped.exe
  \$MINGW_OBJCOPY --only-keep-debug stripped.exe stripped.exe.debug
  \$MINGW_OBJCOPY --strip-all --add-gnu-debuglink=stripped.exe.debug stripped.exe \$O"
fixture stripped.exe.debug "$MINGWPLAIN -o stripped.exe
  \$MINGW_OBJCOPY --only-keep-debug stripped.exe \$O"

#===- Mach-O --------------------------------------------------------------===#

# The program has a debug map, and the file in its dSYM bundle the debug information.
MACHO='
  $CLANGXX --target=$Arch-apple-macos11 $CLANGFLAGS $CXX -O2 -g \
    -D__dso_handle=unused -c scopes.cpp
  $LD64 -arch $Arch -platform_version macos 11.0 11.0 \
    -undefined dynamic_lookup -oso_prefix . -e __start scopes.o -o program
  $DSYMUTIL program
  Debug=program.dSYM/Contents/Resources/DWARF/program'
fixture scopes.macho "Arch=arm64; $MACHO; cp program \$O"
fixture scopes.macho.o "Arch=arm64; $MACHO; cp scopes.o \$O"
fixture scopes.macho.debug "Arch=arm64; $MACHO; cp \$Debug \$O"
fixture scopes-x86_64.macho.debug "Arch=x86_64; $MACHO; cp \$Debug \$O"
# With both architectures.
fixture universal.macho "Arch=arm64; $MACHO; cp \$Debug arm64
  Arch=x86_64; $MACHO
  \$LIPO -create arm64 \$Debug -output \$O"
# The debug map names an object and a file in an archive. The linker left out some of their
# functions, and changed the order of the others.
MAP='
  for F in one two; do
    $CLANG --target=$Arch-apple-macos11 $CLANGFLAGS -O2 -g -c map-$F.c
  done
  $CLANG --target=$Arch-apple-macos11 -g -fdebug-prefix-map=$Src=/src \
    -fdebug-compilation-dir=/src -c map-three.s
  $LLVM_AR --format=darwin rcsD libmap.a map-two.o map-three.o
  echo _alpha > order
  $LD64 -arch $Arch -platform_version macos 11.0 11.0 -dead_strip \
    -order_file order -undefined dynamic_lookup -oso_prefix . -e _start \
    map-one.o libmap.a -o program
  $DSYMUTIL program
  Debug=program.dSYM/Contents/Resources/DWARF/program'
fixture map.macho "Arch=x86_64; $MAP; cp program \$O"
fixture map.macho.debug "Arch=x86_64; $MAP; cp \$Debug \$O"
fixture map-one.macho.o "Arch=x86_64; $MAP; cp map-one.o \$O"
fixture map.macho.a "Arch=x86_64; $MAP; cp libmap.a \$O"
# The first one has a frame pointer in only one function.
COMPACT='
  $CLANG --target=$Arch-apple-macos11 -ffreestanding -fno-stack-protector \
    -funwind-tables $Frames -O2 -c frames.c
  $LD64 -arch $Arch -platform_version macos 11.0 11.0 -dylib \
    -install_name frames frames.o -o $O'
fixture compact-x64.macho "Arch=x86_64 Frames=-fomit-frame-pointer; $COMPACT"
fixture compact-arm64.macho "Arch=arm64 Frames=; $COMPACT"
