#!/bin/sh
# Builds an LLDB that exports lldb_private, for the tests of the plugin.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/build-lldb.sh [FOLDER]

Builds an LLDB 19 that exports lldb_private, for the tests of the plugin that
need one, from Debian's source package: once, into the user's cache folder,
where CMake looks for it (lidia-lldb/VERSION in $XDG_CACHE_HOME or ~/.cache), or
into FOLDER. Takes 16 to 40 minutes on two cores. An interrupted build goes on
where it stopped.

The source comes from the system's own package sources, whether or not they are
set up for source packages.

  --help  print this
USAGE
}

. "$(dirname "$0")/one-operand.inc"
. "$(dirname "$0")/llvm-source.inc"
cd "$(dirname "$0")/.."
utils/install-dependencies.sh --build-lldb

llvm=/usr/lib/llvm-19
package=$(dpkg-query -W -f '${Version}' liblldb-19)
version=$("$llvm/bin/llvm-config" --version)
prefix=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/lidia-lldb/$version}
[ ! -x "$prefix/bin/lldb" ] || { echo "$prefix is there already"; exit 0; }

work=$prefix.build
mkdir -p "$work/stage/bin" "$work/stage/lib"
cd "$work"
exec 9>lock
flock 9
[ ! -x "$prefix/bin/lldb" ] || exit 0

# The sources of exactly the installed package.
if [ ! -e src/lldb/CMakeLists.txt ]; then
  fetch_llvm_source "$package"
  # The name of the tarball's top folder varies.
  rm -rf unpacking && mkdir unpacking
  tar -xf llvm-toolchain-19_*.orig.tar.xz -C unpacking --strip-components=1 \
    --wildcards --no-wildcards-match-slash --exclude='*/lldb/test' \
    --exclude='*/lldb/unittests' '*/lldb' '*/cmake' '*/llvm/cmake' \
    '*/llvm/utils' '*/llvm/include' '*/clang/cmake' '*/clang/include' \
    '*/third-party'
  mv unpacking src
fi

# -O1 builds in half the time of -O2. The launcher adds the precompiled header, which
# CMake's own checks must not use.
cmake -G Ninja -S src/lldb -B build -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$work/with-header" \
  -DLLVM_DIR="$llvm/lib/cmake/llvm" -DClang_DIR="$llvm/lib/cmake/clang" \
  -DCMAKE_C_COMPILER="$llvm/bin/clang" \
  -DCMAKE_CXX_COMPILER="$llvm/bin/clang++" -DLLVM_USE_LINKER=lld \
  -DLLVM_LINK_LLVM_DYLIB=ON -DCLANG_LINK_CLANG_DYLIB=ON \
  -DLLDB_EXPORT_ALL_SYMBOLS=ON -DLLDB_INCLUDE_TESTS=OFF \
  -DLLDB_ENABLE_PYTHON=OFF -DLLDB_ENABLE_LUA=OFF -DLLDB_ENABLE_CURSES=OFF \
  -DLLDB_ENABLE_LIBEDIT=OFF -DLLDB_ENABLE_LIBXML2=OFF >cmake.log
# Debian's CMake files of LLVM lack the step that makes this file from LLDB's
# list of exported symbols.
mkdir -p build/source/API
cat >build/source/API/liblldb.exports <<'EXPORTS'
{
  global:
    _ZN4lldb*; _ZNK4lldb*; _ZN12lldb_private*; _ZNK12lldb_private*;
    _ZT?4lldb*; _ZT?N4lldb*; _ZT?N12lldb_private*;
    init_lld*; PyInit__lldb*; luaopen_lldb*;
  local: *;
};
EXPORTS

# The headers that most of LLDB's files include, and the code of their templates, take
# half of the build's time. The flags must agree with those of LLDB's files. All files
# depend on the header, so an existing one is not changed.
[ -e lldb-pch.h ] || cat >lldb-pch.h <<'HEADERS'
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclObjC.h"
#include "clang/AST/ExternalASTSource.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/ValueObject.h"
#include "lldb/Expression/FunctionCaller.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Interpreter/OptionArgParser.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/SymbolFile.h"
#include "lldb/Symbol/TypeSystem.h"
#include "lldb/Symbol/UnwindPlan.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/StreamString.h"
HEADERS
"$llvm/bin/clang++" -DHAVE_ROUND -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS \
  -D__STDC_LIMIT_MACROS -Isrc/lldb/include -Ibuild/include -I"$llvm/include" \
  -fPIC -fno-semantic-interposition -fvisibility-inlines-hidden -ffunction-sections \
  -fdata-sections -O1 -fvisibility=default -fno-exceptions -funwind-tables -std=c++17 \
  -Wno-deprecated-declarations -fpch-instantiate-templates -x c++-header lldb-pch.h \
  -o lldb.pch
cat >with-header <<LAUNCHER
#!/bin/sh
"\$@" -include-pch "$work/lldb.pch" -fpch-instantiate-templates 2>/dev/null && exit
# A name may be ambiguous with the header, or a system file newer.
exec "\$@"
LAUNCHER
chmod +x with-header
ninja -C build liblldb lldb lldb-server

cp build/bin/lldb build/bin/lldb-server stage/bin
cp -P build/lib/liblldb.so* stage/lib
# The name that Debian's lldb-19 looks for.
ln -sf "liblldb.so.$version" stage/lib/liblldb-19.so.1
mv stage "$prefix"
rm -rf "$work"
echo "LLDB that exports lldb_private: $prefix"
