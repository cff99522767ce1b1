# upstream-clients.sh WITH-SERVE.PY: prints the output of gdb, eu-stack and
# debuginfod-find for aborts and its core, through our server and elfutils' debuginfod,
# which has the folder debug.
with_serve=$1
serve() {
  python3 "$with_serve" "$@"
}
unset DEBUGINFOD_URLS
id=$(readelf -n aborts | sed -n 's/.*Build ID: //p')

# A port that is probably free.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
debuginfod -d :memory: -p "$port" -F debug > debuginfod.log 2>&1 &
server=$!
trap 'kill "$server"' EXIT
# debuginfod scans its folder first.
until curl -sf "http://127.0.0.1:$port/buildid/$id/debuginfo" -o found; do
  kill -0 "$server" || exit 1
  sleep 0.2
done
upstream="--upstream=http://127.0.0.1:$port"

echo exported
serve --store=store --cache-dir=cache "$upstream" -- env DEBUGINFOD_URLS=SERVER \
  DEBUGINFOD_CACHE_PATH=first gdb -batch -nx -iex 'set debuginfod enabled on' -ex bt aborts core

echo original
serve --store=store --cache-dir=cache "$upstream" --pass-through -- env \
  DEBUGINFOD_URLS=SERVER DEBUGINFOD_CACHE_PATH=second gdb -batch -nx \
  -iex 'set debuginfod enabled on' -ex bt aborts core

echo sections
for name in .debug_line .debug_info .text .none; do
  DEBUGINFOD_URLS="http://127.0.0.1:$port" DEBUGINFOD_CACHE_PATH=direct \
    debuginfod-find section "$id" "$name" > expected || echo none > expected
  serve --store=store --cache-dir=cache "$upstream" --pass-through -- env \
    DEBUGINFOD_URLS=SERVER DEBUGINFOD_CACHE_PATH=sections debuginfod-find section \
    "$id" "$name" > path || echo none > path
  if [ "$(cat expected)" = none ]; then
    [ "$(cat path)" = none ] && echo "$name: neither has it"
  else
    cmp "$(cat path)" "$(cat expected)" && echo "$name: as debuginfod has it"
  fi
done

echo executable
serve --store=store --cache-dir=cache "$upstream" -- env DEBUGINFOD_URLS=SERVER \
  DEBUGINFOD_CACHE_PATH=third debuginfod-find executable "$id" > path
cmp "$(cat path)" debug/aborts && echo the original

echo source
serve --store=store --cache-dir=cache "$upstream" -- env DEBUGINFOD_URLS=SERVER \
  DEBUGINFOD_CACHE_PATH=fourth debuginfod-find source "$id" "$PWD/src/aborts.c" > path
cmp "$(cat path)" src/aborts.c && echo the original

# Now without the upstream server.
kill "$server"
echo eu-stack
serve --store=store --cache-dir=cache -- env DEBUGINFOD_URLS=SERVER \
  DEBUGINFOD_CACHE_PATH=fifth eu-stack -s -i --core=core -e aborts
trap - EXIT
