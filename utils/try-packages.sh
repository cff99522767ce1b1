#!/bin/sh
# Installs the Debian packages, uses them and removes them.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/try-packages.sh FOLDER

Installs the packages in FOLDER, which cpack made, into this system, uses
what is in each, and removes them; then shows that nothing is left. Has to be run
as root in a system that may be spoiled, such as the one that
utils/try-in-minimal-root.sh makes:

  utils/try-in-minimal-root.sh --copy build/packages \
    'utils/try-packages.sh packages'

  --help  print this
USAGE
}

case ${1:-} in
--help) usage && exit ;;
-* | '') usage >&2 && exit 2 ;;
esac
[ "$(id -u)" = 0 ] || { echo "Please run this as root" >&2 && exit 1; }
packages=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
source=$(pwd)
names='llvm-lidia liblidia1 liblidia-c-dev liblidia-dev lldb-[0-9]*-lidia'
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive LIDIA_CACHE_DIR="$work/cache"

step() { printf '\n== %s\n' "$1"; }
fail() { echo "FAILED: $1" >&2 && exit 1; }
# Without recommended packages, so that no dependency is satisfied by chance.
install() {
  apt-get -o Acquire::Retries=3 install -y -qq --no-install-recommends "$@" \
    >"$work/log" 2>&1 || {
    tail "$work/log" >&2
    fail "apt-get install $*"
  }
}
# Runs a command, prints its output, and expects a line that contains a text.
expect() {
  text=$1
  shift
  "$@" >"$work/out" 2>&1 || { cat "$work/out" && fail "$*"; }
  grep -F -- "$text" "$work/out" || { cat "$work/out" && fail "$*: no '$text'"; }
}
remove() { apt-get remove --purge -y -qq $names >/dev/null 2>&1; }
# All files, except those that the package system maintains.
list_files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp \
    -o -path /var/lib -o -path /var/cache -o -path /var/log -o -path /etc/ld.so.cache \
    -o -path "$source" \) -prune -o -printf '%p %y %s\n' | sort
}

apt-get update -qq
# apt reads packages as a separate user.
mkdir "$work/packages"
cp "$packages"/*.deb "$work/packages"
chmod -R a+rX "$work"

step 'The tool alone'
install "$work"/packages/llvm-lidia_*.deb
cp test/Inputs/inline-gcc-O2-dwarf5.elf "$work/inline.elf"
llvm-lidia -q --crc --columns --return-pads "$work/inline.elf"
expect 'ten at /src/inline.c:9:12' llvm-lidia lookup -p "$work/inline.elf.lidia" 0x40017c
expect '0x4001ea' llvm-lidia dump --return-pads=json "$work/inline.elf.lidia"
expect 'no errors found' llvm-lidia verify --crc --against="$work/inline.elf" \
  "$work/inline.elf.lidia"
expect 'Ranges: ' llvm-lidia -q --statistics /bin/bash -o "$work/bash.lidia"
! ldd /usr/libexec/lidia/helpers/* | grep 'not found' || fail 'a helper misses a library'

step 'Its manual pages, and completion'
install man-db
export MANWIDTH=200
expect 'make and read Lidia archives' man -P cat llvm-lidia
expect 'the stack of each thread' man -P cat llvm-lidia-stack
expect 'llvm-lidia (1)' whatis llvm-lidia
install bash-completion zsh python3
for shell in bash zsh; do
  expect '[llvm-lidia lookup --functions=short ]' \
    python3 test/Options/Inputs/type-in-shell.py "$shell" installed \
    'llvm-lidia lookup --functions=s'
done

step 'The library for C, without LLVM'
install "$work"/packages/liblidia1_*.deb "$work"/packages/liblidia-c-dev_*.deb
install cmake ninja-build g++ pkg-config
! dpkg-query -W 'llvm-*-dev' 2>/dev/null || fail 'LLVM is installed'
cmake -G Ninja -S test/Install/Inputs/consumer-c -B "$work/consumer-c" >/dev/null
cmake --build "$work/consumer-c" >/dev/null
interface=$(sed -n 's/^#define LIDIA_API_VERSION //p' include/lidia-c/lidia.h)
expect "interface $interface" "$work/consumer-c/version"
cc test/Install/Inputs/consumer-c/version.c $(pkg-config --cflags --libs lidia) \
  -o "$work/version"
expect "interface $interface" "$work/version"
# A package that uses the library gets its dependency.
install dpkg-dev
mkdir -p "$work/user/debian"
printf 'Source: user\n\nPackage: user\nArchitecture: any\n' >"$work/user/debian/control"
(cd "$work/user" && dpkg-shlibdeps -O "$work/version") >"$work/depends"
expect 'liblidia1 (>= ' cat "$work/depends"

step 'The libraries'
install "$work"/packages/liblidia-dev_*.deb
cmake -G Ninja -S test/Install/Inputs/consumer -B "$work/consumer" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/consumer" >/dev/null
expect '36 ranges' "$work/consumer/converter" "$work/inline.elf" "$work/made.lidia"
expect 'ten at /src/inline.c:9' "$work/consumer/reader" "$work/made.lidia" 0x40017c

step 'The plugin for LLDB'
install "$work"/packages/lldb-*-lidia_*.deb
plugin=$(dpkg -L $(dpkg-query -W -f '${Package}\n' 'lldb-*-lidia') |
  grep '/liblldbPluginLidia.so$')
version=$(expr "$plugin" : '.*/lldb-\([0-9]*\)/')
install "lldb-$version"
cc -g -O2 test/Docs/Inputs/crash.c -o "$work/crash"
llvm-lidia -q --crc --columns "$work/crash"
strip "$work/crash"
expect 'crash.c:1:31' "lldb-$version" --no-lldbinit --batch \
  -o "plugin load $plugin" -o "target create $work/crash" \
  -o "target symbols add $work/crash.lidia" -o 'breakpoint set -n check'
# The plugin must find the program that makes archives. It would not replace the archive,
# which has more than the stripped program.
rm "$work/crash.lidia"
expect ', made in ' "lldb-$version" --no-lldbinit --batch \
  -o "plugin load $plugin" -o "target create $work/crash" \
  -o 'lidia create crash' -o 'lidia status'

step 'Removed'
for package in $(dpkg-query -W -f '${Package}\n' $names); do
  dpkg -L "$package"
done | sort -u >"$work/owned"
remove
while read -r file; do
  case $file in
  *lidia*) [ ! -e "$file" ] || fail "$file is left" ;;
  esac
done <"$work/owned"
! dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' $names 2>/dev/null |
  grep -v ' un' || fail 'dpkg knows them still'
# The dependencies are installed now, so all changes come from these packages.
list_files >"$work/before"
install "$work"/packages/*.deb
list_files >"$work/with"
[ "$(diff "$work/before" "$work/with" | grep -c lidia)" -gt 50 ] ||
  fail 'the packages have no files'
remove
list_files >"$work/after"
diff "$work/before" "$work/after" || fail 'something is left'
echo 'Nothing is left.'
