#!/bin/sh
# Runs the steps of the Dockerfile without Docker.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/try-dockerfile.sh [--image FOLDER]

Runs the steps of each stage of the Dockerfile in a minimal Debian 12 of its own, as
utils/try-in-minimal-root.sh makes it, then the image's server as the image's user with a
store of two archives, and asks it as the health check does. The exit status is 0 if all
of that succeeded. Has to be run as root.

  --image FOLDER  do not run the stage "build": take FOLDER for its /image, which
                  DESTDIR=FOLDER cmake --install build --prefix /usr/local
                  --component tool
                  has made of a build with what Debian 12 has
  --help          print this
USAGE
}

image=
while [ $# -gt 0 ]; do
  case $1 in
  --help) usage && exit ;;
  --image)
    [ $# -gt 1 ] || { echo "$1 needs a value: see --help" >&2 && exit 2; }
    image=$(cd "$2" && pwd)
    shift
    ;;
  *) echo "unknown option $1: see --help" >&2 && exit 2 ;;
  esac
  shift
done
cd "$(dirname "$0")/.."

work=$(mktemp -d)
root=
finish() {
  rm -rf "$work"
  [ -z "$root" ] || rm -rf --one-file-system "$root"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$work/from/build" "$work/steps"
utils/dockerfile-steps.py Dockerfile build >"$work/steps/build.sh"
utils/dockerfile-steps.py Dockerfile last >"$work/steps/last.sh"
if [ -n "$image" ]; then
  cp -a "$image" "$work/from/build/image"
else
  utils/try-in-minimal-root.sh --keep --copy "$work/steps" \
    'sh steps/build.sh' | tee "$work/log"
  root=$(sed -n 's/^The root is //p' "$work/log")
  grep -q '^bookworm: .* succeeded' "$work/log"
  cp -a "$root/image" "$work/from/build/image"
fi

# The image contains neither the sources nor the store.
cat >"$work/steps/try.sh" <<'TRY'
mv from /from
. ./steps/last.sh
cp "$context/test/Inputs/inline-gcc-O2-dwarf5.elf" /tmp/a.out
rm -rf "$context"/* && cd /
llvm-lidia store add /var/lib/lidia/symbols /tmp/a.out
chown -R "$user" /var/lib/lidia
if (serve) 2>/refused; then exit 1; fi
cat /refused
grep -q -e --read-token /refused
(serve --public) &
server=$!
until check; do
  kill -0 "$server"
  sleep 0.2
done
grep -E '^(Name|Uid):' "/proc/$server/status"
if grep -q '^Uid:[[:space:]]*0' "/proc/$server/status"; then exit 1; fi
curl -fsS 'http://127.0.0.1:8002/v1/frames?build_id=166acf827f01aa2a2feae66d3efb2f57ab5355d1&address=0x400197'
kill "$server"
wait "$server"
if check 2>/dev/null; then exit 1; fi
TRY
utils/try-in-minimal-root.sh --copy "$work/steps" --copy "$work/from" 'sh steps/try.sh'
