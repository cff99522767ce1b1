#!/usr/bin/env python3
"""Writes a SymCache of version 8 in another form.

    symcache-variants.py swap|9 FILE OUTPUT

With swap, in the other byte order; with 9, as version 9, whose files have three more
strings. lib/Object/SymCacheFormat.h has the layout.
"""

import struct
import sys

HEADER = 80
# The offset in the header of the numbers of files, functions, source locations and
# ranges.
COUNTS = 44
NONE = b"\xff" * 4


def padded(data):
    return data + bytes(-len(data) % 8)


def main():
    how, source, output = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read()
    assert data.startswith(b"SYMC" + struct.pack("<I", 8))
    header, at, tables = bytearray(data[:HEADER]), HEADER, []
    for count, size in zip(struct.unpack_from("<4I", data, COUNTS), (12, 16, 16, 4)):
        tables.append(data[at:at + count * size])
        at += len(padded(tables[-1]))
    strings = data[at:]
    if how == "9":
        header[4] = 9
        tables[0] = b"".join(tables[0][i:i + 12] + NONE * 3
                             for i in range(0, len(tables[0]), 12))
    else:
        # The debug ID consists of bytes.
        for start, end in ((0, 8), (24, 28), (40, 64)):
            header[start:end] = swapped(header[start:end])
        tables = map(swapped, tables)
    with open(output, "wb") as file:
        file.write(bytes(header) + b"".join(map(padded, tables)) + strings)


def swapped(data):
    words = struct.unpack(f"<{len(data) // 4}I", data)
    return struct.pack(f">{len(words)}I", *words)


if __name__ == "__main__":
    main()
