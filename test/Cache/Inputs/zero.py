"""Overwrites a part of a cache's only archive with zeros.

zero.py FOLDER whole|header|directory|checksum|TAG: "directory" is that of the
extension, "checksum" that of its last section, TAG the section of that name.
"""

import glob
import os
import struct
import sys

folder, what = sys.argv[1:]
(path,) = glob.glob(os.path.join(folder, "*.lidia"))
data = bytearray(open(path, "rb").read())
# The marker at the end of the strings also has these letters.
extension = data.rindex(b"LIDIAEXT")
count = struct.unpack_from("<I", data, extension + 12)[0]
directory = extension + 32
parts = {
    "whole": (0, len(data)),
    "header": (0, 128),
    "directory": (directory, 24 * count),
    "checksum": (directory + 24 * (count - 1) + 4, 4),
}
for entry in range(directory, directory + 24 * count, 24):
    offset, size = struct.unpack_from("<QQ", data, entry + 8)
    parts[data[entry:entry + 4].decode()] = (extension + offset, size)
start, size = parts[what]
assert any(data[start:start + size]), what
data[start:start + size] = bytes(size)
open(path, "wb").write(data)
