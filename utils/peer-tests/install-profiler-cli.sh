#!/bin/sh
# Installs Mozilla's profiler-cli, and the Node.js that it needs, from npm for
# test/Server/profiler-cli.test.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/peer-tests/install-profiler-cli.sh

Installs them into ~/.cache/lidia-profiler-cli ($XDG_CACHE_HOME is honoured), where the
tests look for them. Takes 190 MB. Does nothing if they are there.

  --help  print this
USAGE
}

case ${1:-} in
'') ;;
--help) usage && exit ;;
*) usage >&2 && exit 2 ;;
esac
folder=${XDG_CACHE_HOME:-$HOME/.cache}/lidia-profiler-cli
[ -x "$folder/node_modules/.bin/profiler-cli" ] && exit
mkdir -p "$folder"
npm install --prefix "$folder" --no-audit --no-fund \
  node@24 @firefox-devtools/profiler-cli@0.10.0
