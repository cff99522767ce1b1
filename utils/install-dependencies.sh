#!/bin/sh
# Installs from Debian what the build, and on demand the tests, need.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/install-dependencies.sh [--tests | --build-lldb]

Installs from Debian what is missing of the packages that the build needs. Does
nothing when all are there. Runs apt-get by sudo if it is not run as root.

  --tests       and what the tests need
  --build-lldb  and what utils/build-lldb.sh needs
  --help        print this
USAGE
}

packages="cmake ninja-build g++ llvm-19 llvm-19-dev libisal-dev liblzma-dev
  zlib1g-dev libzstd-dev libcurl4-openssl-dev liblldb-19-dev lowdown"
case ${1:-} in
'') ;;
--tests)
  # ca-certificates: for the Go module of utils/go-interop.
  packages="$packages llvm-19-tools clang-19 clang-format-19 clang-tidy-19
    libclang-rt-19-dev libgtest-dev libbenchmark-dev python3 golang-go ca-certificates debuginfod elfutils
    xz-utils lldb-19 python3-lldb-19 dwz gdb dpkg-dev file mandoc zsh xfsprogs"
  ;;
--build-lldb)
  packages="$packages liblldb-19 clang-19 libclang-19-dev llvm-19-tools lld-19
    xz-utils libxml2-dev libedit-dev"
  ;;
--help)
  usage
  exit
  ;;
*)
  echo "unknown option $1: see --help" >&2
  exit 2
  ;;
esac

missing=
for package in $packages; do
  # What stands on the PATH by another way of installing serves as well.
  [ "$package" = golang-go ] && command -v go >/dev/null && continue
  [ "$package" = python3 ] && command -v python3 >/dev/null && continue
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
