"""Writes archives of version 1 that no converter creates: FOLDER/keys.lidia, whose
references to strings are the largest numbers, and FOLDER/overlapping.lidia, a megabyte
in which 200 functions have overlapping names."""
import os
import struct
import sys

MOST = 2**64 - 1
PREFIX = b"\0[overflow]\0"


def write(path, names, strings):
    """Writes functions of 16 bytes each. NAMES are (function, file) as references."""
    vas = b"".join(struct.pack("<Q", 0x1000 + 16 * i) for i in range(len(names)))
    ranges = b"".join(struct.pack("<8Q", 16, 0, function, file, 0, 0, 0, 0)
                      for function, file in names)
    at = [128, 128 + len(vas), 128 + len(vas) + len(ranges)]
    header = b".dia" + struct.pack("<I", 1)
    header += struct.pack("<QQQII", 8, len(names), at[0], 0, 0)
    header += struct.pack("<QQQII", 8, len(names), at[1], 0, 0)
    header += struct.pack("<QQII", len(strings), at[2], 0, 0)
    header += struct.pack("<QQQII", 4, 0, at[2] + len(strings), 0, 0)
    with open(path, "wb") as file:
        file.write(header + vas + ranges + strings)


write(os.path.join(sys.argv[1], "keys.lidia"),
      [(len(PREFIX), MOST), (MOST, MOST - 1), (MOST - 1, 0)], PREFIX + b"main\0")
write(os.path.join(sys.argv[1], "overlapping.lidia"),
      [(len(PREFIX) + i, 0) for i in range(200)], PREFIX + b"a" * (1 << 20) + b"\0")
