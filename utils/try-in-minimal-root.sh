#!/bin/sh
# Runs the README's two commands like a newcomer.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/try-in-minimal-root.sh [OPTION...] [COMMAND]

Makes a minimal Debian with debootstrap, copies a fresh clone of this tree's
HEAD into it (uncommitted changes stay out) and runs the README's two commands
there, utils/try-it.sh and utils/run-tests.sh, or COMMAND, a line for the shell.
Prints how long each took. The exit status is 0 if all of them succeeded.

Has to be run as root. The clone lies in a folder with a space in its name. The
minimal system and the packages that were downloaded are kept in
$XDG_CACHE_HOME/lidia-minimal-root or ~/.cache/lidia-minimal-root, which may be
removed at any time.

  --suite NAME    Debian's release: bookworm (the default) or trixie
  --mirror URL    where Debian is fetched from; by default, where the system's
                  own package sources say
  --security      use Debian's security suite, too, from where the system's own
                  package sources say
  --copy FOLDER   copy FOLDER into the clone; may be repeated
  --keep          leave the root in place afterwards, and say where it is
  --root FOLDER   run in a root that --keep left, with the clone that is there
  --help          print this
USAGE
}

suite=bookworm
mirror=
keep=
root=
copies=
security=
while [ $# -gt 0 ]; do
  case $1 in
  --help) usage && exit ;;
  --keep) keep=1 ;;
  --security) security=1 ;;
  --suite | --mirror | --root | --copy)
    [ $# -gt 1 ] || { echo "$1 needs a value: see --help" >&2 && exit 2; }
    case $1 in
    --suite) suite=$2 ;;
    --mirror) mirror=$2 ;;
    --copy) copies="$copies
$(cd "$2" && pwd)" ;;
    --root)
      root=$(cd "$2" && pwd) keep=1
      suite=$(sed -n 's/^VERSION_CODENAME=//p' "$root/etc/os-release")
      ;;
    esac
    shift
    ;;
  -*) echo "unknown option $1: see --help" >&2 && exit 2 ;;
  *) break ;;
  esac
  shift
done

[ "$(id -u)" = 0 ] || { echo "Please run this as root" >&2 && exit 1; }
for tool in debootstrap git unshare pivot_root; do
  command -v "$tool" >/dev/null || {
    echo "$tool is missing. Debian has it in debootstrap, git or util-linux" >&2
    exit 1
  }
done
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lidia-minimal-root
clone='/home/new user/lidia'

# The Debian mirror with the given label in the system's package sources. apt knows the
# labels after an update.
find_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    'Origin: Debian' "Label: $1" | grep '^[a-z]*://' | head -n 1
}

# The system from which all runs start.
make_base() {
  [ ! -d "$cache/$suite" ] || return 0
  [ -n "$mirror" ] || mirror=$(find_mirror Debian)
  [ -n "$mirror" ] || { apt-get update -qq && mirror=$(find_mirror Debian); }
  [ -n "$mirror" ] || {
    echo "The system's package sources do not say where Debian is: use --mirror" >&2
    exit 1
  }
  echo "Fetching a minimal $suite from $mirror"
  partial=$cache/$suite.partial
  rm -rf --one-file-system "$partial"
  mkdir -p "$cache"
  debootstrap --variant=minbase "$suite" "$partial" "$mirror" >"$cache/log" || {
    tail "$cache/log" >&2
    exit 1
  }
  # Packages that are downloaded later go to their own folder.
  rm -f "$partial"/var/cache/apt/archives/*.deb
  mv "$partial" "$cache/$suite"
}

# Runs a shell command line in the clone. The root becomes that of a mount namespace,
# because tests that make their own namespaces cannot do so in a chroot. The mounts and
# all processes end with the namespace, so that nothing outside the root can be reached
# when the root is removed.
run_inside() {
  exec env -i TERM="${TERM:-dumb}" LANG=C.UTF-8 HOME=/root \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+"http_proxy=$http_proxy"} \
    ${https_proxy:+"https_proxy=$https_proxy"} \
    ${no_proxy:+"no_proxy=$no_proxy"} \
    unshare --mount --propagation private --pid --fork --kill-child sh -euc '
      root=$1 clone=$2 command=$3
      mount --bind "$root" "$root"
      mount -t proc proc "$root/proc"
      mount -t sysfs -o ro sysfs "$root/sys"
      # A separate /dev: a program that replaces /dev/null must not replace the
      # one outside.
      mount -t tmpfs -o mode=755 tmpfs "$root/dev"
      for device in null zero full random urandom tty; do
        : >"$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
      done
      mkdir "$root/dev/pts" "$root/dev/shm"
      mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
      mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
      ln -s pts/ptmx "$root/dev/ptmx"
      ln -s /proc/self/fd "$root/dev/fd"
      ln -s fd/0 "$root/dev/stdin"
      ln -s fd/1 "$root/dev/stdout"
      ln -s fd/2 "$root/dev/stderr"
      cd "$root"
      mkdir -p .outside
      pivot_root . .outside
      umount -l /.outside
      rmdir /.outside
      cd "$clone"
      exec sh -c "$command"
    ' sh "$root" "$clone" "$1"
}

# Links packages from one folder into another, unless they are already there.
copy_packages() {
  mkdir -p "$2"
  for package in "$1"/*.deb; do
    copy=$2/${package##*/}
    [ ! -e "$package" ] || [ -e "$copy" ] || ln "$package" "$copy"
  done
}

# Only SIGKILL ends unshare.
inside=
finish() {
  [ -z "$inside" ] || kill -KILL "$inside" 2>/dev/null || true
  wait
  if [ -n "$keep" ]; then
    echo "The root is $root"
  elif [ -n "$root" ]; then
    rm -rf --one-file-system "$root"
  fi
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

if [ -z "$root" ]; then
  make_base
  root=$(mktemp -d "$cache/$suite-XXXXXX")
  cp -a --reflink=auto "$cache/$suite/." "$root"
  mkdir -p "$(dirname "$root$clone")"
  git clone --quiet --no-hardlinks . "$root$clone"
  mkdir -p "$cache/$suite-packages"
  copy_packages "$cache/$suite-packages" "$root/var/cache/apt/archives"
fi
# Use this system's network: its name servers and certificate authorities.
cp /etc/resolv.conf "$root/etc/resolv.conf"
for authority in /usr/local/share/ca-certificates/*.crt; do
  [ -e "$authority" ] || continue
  mkdir -p "$root/usr/local/share/ca-certificates"
  cp "$authority" "$root/usr/local/share/ca-certificates"
done

if [ -n "$security" ]; then
  security=$(find_mirror Debian-Security)
  [ -n "$security" ] || {
    echo "The system's package sources do not have Debian's security suite" >&2
    exit 1
  }
  echo "deb $security $suite-security main" \
    >"$root/etc/apt/sources.list.d/security.list"
fi
printf '%s\n' "$copies" | while read -r folder; do
  [ -z "$folder" ] || cp -a "$folder" "$root$clone"
done

[ $# -gt 0 ] || set -- utils/try-it.sh utils/run-tests.sh
status=0
summary=
for command; do
  printf '\n==== %s: %s\n' "$suite" "$command"
  start=$(date +%s)
  result=succeeded
  run_inside "$command" </dev/null &
  inside=$!
  wait "$inside" || result="failed with status $?" status=1
  inside=
  copy_packages "$root/var/cache/apt/archives" "$cache/$suite-packages"
  seconds=$(($(date +%s) - start))
  summary="$summary$suite: $command $result after $((seconds / 60)) min $((seconds % 60)) s
"
done
printf '\n%s' "$summary"
exit $status
