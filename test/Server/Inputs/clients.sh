# clients.sh SERVER: prints each client's output for the core of aborts.
export DEBUGINFOD_URLS="$1" DEBUGINFOD_CACHE_PATH="$PWD/client"
id=$(readelf -n aborts | sed -n 's/.*Build ID: //p')

echo gdb
gdb -batch -nx -iex 'set debuginfod enabled on' -ex bt aborts core

echo debuginfod-find
debuginfod-find debuginfo "$id"

echo eu-stack
eu-stack -s -i --core=core -e aborts

echo llvm-symbolizer
rm -rf llvm-cache
offset=$(llvm-lidia stack --core=core --store="$1" 2>/dev/null |
  sed -n 's/.*(.*aborts+\(0x[0-9a-f]*\)).*/\1/p' | head -1)
DEBUGINFOD_CACHE_PATH="$PWD/llvm-cache" llvm-symbolizer --debuginfod -e aborts \
  --basenames "$((offset - 1))"

echo llvm-lidia
LIDIA_CACHE_DIR="$PWD/ours" DEBUGINFOD_URLS= llvm-lidia stack --core=core --store="$1"

echo lldb
lldb -b --no-lldbinit \
  -o 'settings set symbols.auto-download foreground' \
  -o "settings set plugin.symbol-locator.debuginfod.server-urls $1" \
  -o "settings set plugin.symbol-locator.debuginfod.cache-path $PWD/lldb-cache" \
  -o 'target create --core core aborts' -o bt
