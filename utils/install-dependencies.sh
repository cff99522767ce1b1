#!/bin/sh
# Installs the Debian packages that the build and, on request, the tests need.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/install-dependencies.sh [--llvm VERSION]
                                     [--tool | --tests | --peers | --build-lldb]
                                     [--packages]

Installs from Debian what is missing of the packages that the build needs. Does
nothing when all are there. Runs apt-get by sudo if it is not run as root.

  --llvm VERSION  those of this LLVM: 19 (the default) or 22. Debian's lldb-19
                  and lldb-22 exclude each other
  --tool          without what only the plugin for LLDB needs
  --tests         and what the tests need
  --peers         and the programs of others that utils/run-tests.sh --peers runs
  --build-lldb    and what utils/build-lldb.sh needs
  --packages      and what making and trying Debian packages needs
  --help          print this
USAGE
}

llvm=19
tool=
tests=
peers=
build_lldb=
debian=
while [ $# -gt 0 ]; do
  case $1 in
  --llvm)
    [ $# -gt 1 ] || { echo "$1 needs a value: see --help" >&2 && exit 2; }
    llvm=$2
    shift
    ;;
  --tool) tool=1 ;;
  --tests) tests=1 ;;
  --peers) tests=1 peers=1 ;;
  --build-lldb) build_lldb=1 ;;
  --packages) debian=1 ;;
  --help) usage && exit ;;
  *) echo "unknown option $1: see --help" >&2 && exit 2 ;;
  esac
  shift
done

packages="cmake ninja-build g++ llvm-$llvm llvm-$llvm-dev libisal-dev
  liblzma-dev zlib1g-dev libzstd-dev libprotozero-dev rapidjson-dev
  libcurl4-openssl-dev libarchive-dev lowdown"
[ -n "$tool" ] || packages="$packages libmicrohttpd-dev"
[ -n "$tool" ] || packages="$packages liblldb-$llvm-dev"
# ca-certificates: for the Go module of utils/go-interop.
[ -z "$tests" ] || packages="$packages llvm-$llvm-tools clang-$llvm
  clang-format-$llvm clang-tidy-$llvm libclang-rt-$llvm-dev libgtest-dev
  lld-$llvm libbenchmark-dev python3 golang-go ca-certificates curl debuginfod elfutils xz-utils
  lldb-$llvm python3-lldb-$llvm dwz gdb libc6-dbg debhelper dpkg-dev file mandoc zsh xfsprogs zstd
  meson openssl abigail-tools python3-dev python3-venv"
[ -z "$peers" ] || packages="$packages cargo chromium
  linux-perf npm rustc valgrind"
[ -z "$debian" ] || packages="$packages debootstrap dpkg-dev lintian"
[ -z "$build_lldb" ] || packages="$packages liblldb-$llvm clang-$llvm
  libclang-$llvm-dev llvm-$llvm-tools lld-$llvm xz-utils libxml2-dev libedit-dev"

missing=
for package in $packages; do
  # A program on the PATH that was installed in another way is accepted, too.
  case $package in
  cargo | rustc | chromium | npm) command -v "$package" >/dev/null && continue ;;
  linux-perf) command -v perf >/dev/null && continue ;;
  esac
  [ "$package" = golang-go ] && command -v go >/dev/null && continue
  [ "$package" = python3 ] && command -v python3 >/dev/null && continue
  [ "$package" = python3-venv ] && python3 -c 'import ensurepip' 2>/dev/null && continue
  [ "$package" = python3-dev ] && python3 -c 'import sysconfig
open(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null && continue
  dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null |
    grep -q '^.i' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || {
    echo "As root, please install:$missing" >&2
    exit 1
  }
  sudo=sudo
fi
echo "Installing:$missing"
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
  --no-install-recommends $missing >/dev/null
