"""Writes an archive that is small but expands to a large amount.

usage: archive-bombs.py KIND N FILE

It is a valid archive of version 1 with N functions:

  rows    all of them have the same N rows
  paths   all of them are in one source file with a path of 1 MB
  names   each has a name that is 700 times as long when it is demangled
  name    all of them have the same name of 1 MB
"""

import struct
import sys


def expanding_name(number):
    """A function f<A<int, int>, A<A<int, int>, A<int, int>>, ...>."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    function = f"f{number}"
    arguments = "1AIiiE"
    for level in range(1, 13):
        same = f"S{digits[level]}_"
        arguments += f"S0_I{same}{same}E"
    return f"_Z{len(function)}{function}I{arguments}Evv"


class Strings:
    def __init__(self):
        self.bytes, self.offsets = b"", {}
        self.add("")
        self.add("[overflow]")

    def add(self, text):
        if text not in self.offsets:
            self.offsets[text] = len(self.bytes)
            self.bytes += struct.pack("<I", len(text)) + text.encode()
        return self.offsets[text]


def main():
    kind, n, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    strings = Strings()
    source = strings.add("/" + "d" * (1 << 20) if kind == "paths" else "/a.c")
    rows = [(i, i % 1000 + 1) for i in range(n)] if kind == "rows" else []
    vas, ranges = b"", b""
    for i in range(n):
        name = {"names": expanding_name(i), "name": "f" * (1 << 20)}.get(kind, f"f{i}")
        vas += struct.pack("<I", 0x1000 + i * (n + 8))
        ranges += struct.pack("<8I", n, 0, strings.add(name), source, 0, len(rows),
                              0, 0)
    lines = b"".join(struct.pack("<II", *row) for row in rows)
    at = [128]
    for table in (vas, ranges, strings.bytes):
        at.append(at[-1] + len(table))
    header = b".dia" + struct.pack("<I", 1)
    header += struct.pack("<QQQQ", 4, n, at[0], 0)
    header += struct.pack("<QQQQ", 4, n, at[1], 0)
    header += struct.pack("<QQQ", len(strings.bytes), at[2], 0)
    header += struct.pack("<QQQQ", 4, len(rows), at[3], 0)
    with open(path, "wb") as file:
        file.write(header + vas + ranges + strings.bytes + lines)


main()
