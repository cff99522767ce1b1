#!/bin/sh
# Fetches large binaries' debug information from Debian, to measure with.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/benchmark/fetch-inputs.sh FOLDER

Fetches debug information to measure with from Debian: that of ceph-osd (C++
with deep inlining, 230 MB) and of libpython (C, 10 MB). Installs nothing; needs
a Debian with package sources, some 600 MB of network and 2 GB of room.

Leaves FOLDER/ceph-osd.debug and FOLDER/libpython3.debug, and the program that
the first belongs to as FOLDER/ceph-osd.

  --help  print this
USAGE
}

case ${1:-} in
--help) usage && exit ;;
'' | -*) usage >&2 && exit 2 ;;
esac
mkdir -p "$1"
cd "$1"

python=$(apt-cache depends python3 | sed -n 's/.*Depends: \(python3\.[0-9]*\)$/\1/p')
# One by one, because apt-get keeps nothing if one is missing.
for package in ceph-osd ceph-osd-dbg "lib$python" "$python-dbg"; do
  apt-get download "$package"
done
for package in *.deb; do
  dpkg -x "$package" files
done

# A binary's debug file is named after its build ID.
link_debug_file() {
  id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
  rest=${id#??}
  ln -sf "files/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug" "$2"
}
link_debug_file files/usr/bin/ceph-osd ceph-osd.debug
ln -sf files/usr/bin/ceph-osd ceph-osd
link_debug_file files/usr/lib/*/"lib$python.so.1.0" libpython3.debug
ls -lL ./*.debug
