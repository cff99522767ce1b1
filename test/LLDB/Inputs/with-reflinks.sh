#!/bin/sh
# with-reflinks.sh IMAGE FOLDER COMMAND...
#
# Runs COMMAND with an XFS at FOLDER, whose files can share blocks. The file system is
# in the new file IMAGE, and mounted in a mount namespace that ends with COMMAND. Needs
# root and loop devices.
set -eu
image=$1
folder=$2
shift 2
PATH=$PATH:/usr/sbin:/sbin
rm -f "$image"
# The smallest size that mkfs.xfs accepts; most of it is holes.
truncate -s 300M "$image"
mkfs.xfs -q -m reflink=1 "$image"
mkdir -p "$folder"
exec unshare -m sh -c 'mount -o loop "$1" "$2" && shift 2 && "$@"' sh "$image" "$folder" "$@"
