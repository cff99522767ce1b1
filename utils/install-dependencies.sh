#!/bin/sh
# Installs from Debian what is missing of the packages that the build needs
# and, with --tests, the tests too; with --build-lldb, what utils/build-lldb.sh
# needs. Does nothing when all are there.
#
#   utils/install-dependencies.sh [--tests | --build-lldb]
set -eu

packages="cmake ninja-build g++ llvm-19 llvm-19-dev libisal-dev liblzma-dev
  zlib1g-dev libzstd-dev libxml2-dev libedit-dev libcurl4-openssl-dev
  liblldb-19-dev"
case ${1:-} in
--tests)
  packages="$packages llvm-19-tools clang-19 libclang-rt-19-dev libgtest-dev
    libbenchmark-dev python3 golang-go debuginfod elfutils xz-utils
    lldb-19"
  ;;
--build-lldb)
  packages="$packages liblldb-19 clang-19 libclang-19-dev llvm-19-tools lld-19
    xz-utils"
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
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq \
  --no-install-recommends $missing >/dev/null
