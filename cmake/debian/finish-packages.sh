#!/bin/sh
# Corrects what cpack writes into packages, in place:
#
#   finish-packages.sh PACKAGE...
#
# The field Installed-Size is that of dpkg-gencontrol: files rounded up to KiB, and one
# KiB for everything else; cpack counts a link as the file that it names. Scripts that
# only call ldconfig are removed, because the package has a trigger.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# For the same bytes in each build.
: "${SOURCE_DATE_EPOCH:=0}"

for package; do
  size=$(dpkg-deb -c "$package" |
    awk '{ sum += /^-/ ? int(($3 + 1023) / 1024) : 1 } END { print sum + 0 }')
  rm -rf "$work"/control
  mkdir "$work"/control
  dpkg-deb -e "$package" "$work"/control
  rm -f "$work"/control/postinst "$work"/control/postrm
  sed -i "s/^Installed-Size: .*/Installed-Size: $size/" "$work"/control/control
  tar -C "$work"/control -c --format=gnu --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" . | gzip -9n >"$work"/control.tar.gz
  # The order of the parts is fixed.
  (cd "$work" && ar rD "$package" control.tar.gz)
done
