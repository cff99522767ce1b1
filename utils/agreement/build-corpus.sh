#!/bin/sh
# Builds the programs that compare-lldb.py measures.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/agreement/build-corpus.sh [-j JOBS] FOLDER [NAME]...

Fetches the sources of small programs in C and C++ from Debian and of some in Rust by
cargo, and builds them by GCC, Clang and rustc at various levels of optimisation; in
place of the level, icf folds identical functions (only clang).
Adds Debian's libc and libpython with their debug files. FOLDER gets bin/NAME/PROGRAM, and
corpus.json, which says for compare-lldb.py how each is run. NAME is for example lua-gcc-O2 or ninja-clang-icf; with names only those
are built. The programs sqlite, zlib, leveldb, yamlcpp, hyperfine, mujs, picosat, minisat,
pugixml, dblas (Fortran) and choose (Rust), those that are folded, and Debian's libm,
loader, valgrind, libdb, libgsl and ceph-osd (0.5 GB of debug packages) are built only if
they are named.
What is there already is not built again.

Needs the packages of utils/install-dependencies.sh --tests, cargo, and tclsh for sqlite.
USAGE
}

jobs=2
names=
while [ $# -gt 0 ]; do
  case $1 in
  -j) jobs=$2 && shift ;;
  --help) usage && exit ;;
  -*) echo "unknown option $1: see --help" >&2 && exit 2 ;;
  *) [ -z "${folder:-}" ] && folder=$1 || names="$names $1" ;;
  esac
  shift
done
[ -n "${folder:-}" ] || { usage >&2 && exit 2; }
mkdir -p "$folder/src" "$folder/bin" "$folder/input"
folder=$(cd "$folder" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

# Runs apt-get with a copy of the system's package sources turned into sources of
# source packages, and with separate package lists.
apt_get() {
  apt-get -o "Dir::Etc::sourcelist=$folder/apt/sources.list" \
    -o "Dir::Etc::sourceparts=$folder/apt/sources.list.d" \
    -o "Dir::State::lists=$folder/apt/lists" -o "APT::Sandbox::User=$(id -un)" "$@"
}
copy_package_sources() {
  mkdir -p "$folder/apt/sources.list.d" "$folder/apt/lists/partial"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] || continue
    sed -e 's/^[[:space:]]*deb[[:space:]]/deb-src /' \
      -e 's/^Types:.*/Types: deb-src/I' "$file" >"$folder/apt/${file#/etc/apt/}"
  done
}

# The original sources, in $folder/src/PACKAGE.
fetch() {
  [ ! -d "$folder/src/$1" ] || return 0
  [ -d "$folder/apt" ] || { copy_package_sources && apt_get update -qq; }
  (cd "$folder/src" && apt_get source -qq --download-only "$1")
  mkdir "$folder/src/$1.new"
  tar -xf "$folder/src/$1"_*.orig.tar.* -C "$folder/src/$1.new" --strip-components=1
  mv "$folder/src/$1.new" "$folder/src/$1"
}

# The arguments that compile program $1 in its source folder.
c_sources() {
  case $1 in
  # Hashes that are the same in each run.
  lua) echo "-DLUA_USE_POSIX -Dluai_makeseed(L)=1 $(cd src && ls -- *.c | sed -e '/^luac\.c$/d' -e 's:^:src/:' | tr '\n' ' ') -lm" ;;
  lz4) echo "-Ilib lib/lz4.c lib/lz4hc.c lib/lz4frame.c lib/xxhash.c programs/*.c" ;;
  ninja) echo "-DNDEBUG $(ls src/*.cc | grep -v -e test -e win32 -e msvc -e browse -e perftest -e hash_collision -e minidump -e inline -e "\.in\.cc" | tr '\n' ' ')" ;;
  tinyxml2) echo "tinyxml2.cpp xmltest.cpp" ;;
  sqlite) echo "-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION sqlite3.c shell.c -lm" ;;
  zlib) echo "-DHAVE_UNISTD_H -I. $(ls -- *.c | tr '\n' ' ') test/minigzip.c" ;;
  leveldb) echo "-DLEVELDB_PLATFORM_POSIX -I. -Iinclude -Ihelpers/memenv $(ls db/*.cc table/*.cc util/*.cc helpers/memenv/memenv.cc | grep -v -e test -e windows -e leveldbutil | tr '\n' ' ') $here/corpus/measure.cpp -pthread" ;;
  yamlcpp) echo "-Iinclude src/*.cpp src/contrib/*.cpp util/parse.cpp" ;;
  mujs) echo "one.c main.c -lm" ;;
  picosat) echo "-DNDEBUG -DPICOSAT_VERSION=\"\" -DPICOSAT_CC=\"\" -DPICOSAT_CFLAGS=\"\" picosat.c app.c main.c version.c" ;;
  minisat) echo "-fpermissive -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I. minisat/core/Main.cc minisat/core/Solver.cc minisat/utils/Options.cc minisat/utils/System.cc -lz" ;;
  pugixml) echo "-Isrc src/pugixml.cpp docs/samples/xpath_query.cpp" ;;
  dblas) echo "-std=legacy BLAS/TESTING/dblat1.f $(ls BLAS/SRC/d*.f* BLAS/SRC/idamax.f BLAS/SRC/lsame.f BLAS/SRC/xerbla.f | tr '\n' ' ')" ;;
  jsoncpp) echo "-Iinclude src/lib_json/json_reader.cpp src/lib_json/json_value.cpp src/lib_json/json_writer.cpp src/jsontestrunner/main.cpp" ;;
  esac
}
package_of() {
  case $1 in
  lua) echo lua5.4 ;;
  ninja) echo ninja-build ;;
  jsoncpp) echo libjsoncpp ;;
  dblas) echo lapack ;;
  minisat) echo minisat2 ;;
  sqlite) echo sqlite3 ;;
  yamlcpp) echo yaml-cpp ;;
  *) echo "$1" ;;
  esac
}
is_cxx() { case $1 in ninja | tinyxml2 | jsoncpp | leveldb | yamlcpp | minisat | pugixml) ;; *) return 1 ;; esac }

build_c() { # PROGRAM COMPILER LEVEL
  compiler=$2
  if is_cxx "$1"; then
    compiler=$(echo "$2" | sed -e 's/^gcc/g++/' -e 's/^clang/clang++/')
  fi
  [ "$1" != dblas ] || compiler=gfortran
  command -v "$compiler" >/dev/null || compiler=$compiler-19
  fetch "$(package_of "$1")"
  cd "$folder/src/$(package_of "$1")"
  if [ "$1" = sqlite ] && [ ! -e shell.c ]; then
    ./configure -q && make -s sqlite3.c shell.c
  fi
  [ "$1" != picosat ] || : >config.h
  case $3 in
  # Functions with the same code become one.
  icf) flags="-O2 -ffunction-sections -fuse-ld=lld -Wl,--icf=all,--build-id" ;;
  *) flags=-$3 ;;
  esac
  # shellcheck disable=SC2046,SC2086
  "$compiler" -g $flags -w -o "$out/$1" $(c_sources "$1")
}

build_rust() { # PROGRAM VERSION LEVEL
  CARGO_PROFILE_RELEASE_DEBUG=2 CARGO_PROFILE_RELEASE_OPT_LEVEL=${3#O} \
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_STRIP=none \
    CARGO_TARGET_DIR="$folder/target/$name" \
    cargo install "$1" --version "$2" --locked --root "$out" -j "$jobs" --quiet
  mv "$out/bin/"* "$out" && rm -rf "$out/bin" "$out"/.crates* "$folder/target/$name"
}

# A library from Debian, unchanged, with its debug file. It is not run.
fetch_library() { # NAME FILE PACKAGE...
  library=$1
  file=$2
  shift 2
  mkdir "$out/packages"
  for package in "$@"; do
    (cd "$out/packages" && apt-get download -qq "$package")
  done
  for package in "$out/packages/"*.deb; do
    dpkg -x "$package" "$out/packages/files"
  done
  cp "$(find "$out/packages/files" -name "$file" -type f | head -n 1)" "$out/$library"
  # A binary's debug file is named after its build ID.
  id=$(readelf -n "$out/$library" | sed -n 's/.*Build ID: //p')
  rest=${id#??}
  cp "$out/packages/files/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug" \
    "$out/$library.debug"
  rm -rf "$out/packages"
}

build() { # NAME
  name=$1
  program=${name%%-*}
  level=${name##*-}
  [ ! -d "$folder/bin/$name" ] || return 0
  out=$folder/bin/$name.new
  rm -rf "$out" && mkdir "$out"
  echo "Building $name"
  case $name in
  hexyl-*) (build_rust hexyl 0.16.0 "$level") ;;
  choose-*) (build_rust choose 1.3.6 "$level") ;;
  hyperfine-*) (build_rust hyperfine 1.20.0 "$level") ;;
  libc) fetch_library libc.so.6 libc.so.6 libc6 libc6-dbg ;;
  libm) fetch_library libm.so.6 libm.so.6 libc6 libc6-dbg ;;
  loader) fetch_library ld.so ld-linux-x86-64.so.2 libc6 libc6-dbg ;;
  valgrind) fetch_library memcheck memcheck-amd64-linux valgrind valgrind-dbg ;;
  libdb) fetch_library libdb.so libdb-5.3.so libdb5.3 libdb5.3-dbg ;;
  libgsl) fetch_library libgsl.so 'libgsl.so.[0-9]*' libgsl27 libgsl-dbg ;;
  ceph) fetch_library ceph-osd ceph-osd ceph-osd ceph-osd-dbg ;;
  libpython)
    python=$(apt-cache depends python3 | sed -n 's/.*Depends: \(python3\.[0-9]*\)$/\1/p')
    fetch_library libpython.so "lib$python.so.1.0" "lib$python" "$python-dbg"
    ;;
  *) (build_c "$program" "$(echo "$name" | cut -d- -f2)" "$level") ;;
  esac
  mv "$out" "$folder/bin/$name"
}

inputs() {
  cp "$here/corpus/"* "$folder/input/"
  head -c 30000 "$0" "$here/compare-lldb.py" >"$folder/input/text"
}

describe() { # NAME LANGUAGE COMPILER PROGRAM FOLDER ARGUMENTS
  printf '%s{"name": "%s", "language": "%s", "compiler": "%s", "binary": "bin/%s/%s", "folder": "%s", "run": [%s]}' \
    "$comma" "$1" "$2" "$3" "$1" "$4" "$5" "$6"
  comma=',
'
}
describe_library() { # FILE
  printf '%s{"name": "%s", "language": "%s", "compiler": "gcc", "binary": "bin/%s/%s", "debug": "bin/%s/%s.debug"}' \
    "$comma" "$name" "$name" "$name" "$1" "$name" "$1"
  comma=',
'
}
manifest() {
  comma=
  echo '['
  for path in "$folder"/bin/*; do
    name=${path##*/}
    case $name in *.new) continue ;; esac
    compiler=$(echo "$name" | cut -d- -f2)
    case $name in
    lua-*) describe "$name" C "$compiler" lua input '"measure.lua"' ;;
    lz4-*) describe "$name" C "$compiler" lz4 input '"-9", "-c", "text"' ;;
    ninja-*) describe "$name" C++ "$compiler" ninja input '"-n", "-v"' ;;
    tinyxml2-*) describe "$name" C++ "$compiler" tinyxml2 src/tinyxml2 '' ;;
    jsoncpp-*) describe "$name" C++ "$compiler" jsoncpp input '"measure.json"' ;;
    sqlite-*) describe "$name" C "$compiler" sqlite input '":memory:", ".read measure.sql"' ;;
    zlib-*) describe "$name" C "$compiler" zlib input '"-c", "text"' ;;
    leveldb-*) describe "$name" C++ "$compiler" leveldb input '' ;;
    yamlcpp-*) describe "$name" C++ "$compiler" yamlcpp input '"measure.yaml"' ;;
    mujs-*) describe "$name" C "$compiler" mujs input '"measure.js"' ;;
    picosat-*) describe "$name" C "$compiler" picosat input '"measure.cnf"' ;;
    minisat-*) describe "$name" C++ "$compiler" minisat input '"measure.cnf"' ;;
    pugixml-*) describe "$name" C++ "$compiler" pugixml src/pugixml/docs/samples '' ;;
    dblas-*) describe "$name" Fortran gfortran dblas input '' ;;
    choose-*) describe "$name" Rust rustc choose input '"-i", "text", "1:3"' ;;
    hyperfine-*) describe "$name" Rust rustc hyperfine input '"-N", "-r", "3", "-w", "1", "true"' ;;
    hexyl-*) describe "$name" Rust rustc hexyl input '"--color=always", "text"' ;;
    libc) describe_library libc.so.6 ;;
    libm) describe_library libm.so.6 ;;
    loader) describe_library ld.so ;;
    valgrind) describe_library memcheck ;;
    libdb) describe_library libdb.so ;;
    libgsl) describe_library libgsl.so ;;
    ceph) describe_library ceph-osd ;;
    libpython) describe_library libpython.so ;;
    esac
  done
  echo && echo ']'
}

if [ -z "$names" ]; then
  for compiler in gcc clang; do
    for level in O0 Og O1 O2 O3; do
      names="$names lua-$compiler-$level ninja-$compiler-$level"
    done
    names="$names lz4-$compiler-O2 lz4-$compiler-O3"
    names="$names tinyxml2-$compiler-O2 jsoncpp-$compiler-O2"
  done
  names="$names libc libpython hexyl-rustc-O0 hexyl-rustc-O1 hexyl-rustc-O2 hexyl-rustc-O3"
fi
inputs
for name in $names; do
  build "$name"
done
manifest >"$folder/corpus.json"
