"""Writes the YAML of an archive whose statements are in two large blocks.

usage: large-blocks.py N

Function fI is in the first block, gI in the second, and both are in the source file
I.c, for each I less than N. A block expands to 1 MiB: a list of files without names.
"""

import struct
import sys

MIB = 1 << 20


def uleb(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zstd(head, zeros, tail):
    """A frame (RFC 8878) of head, ZEROS zeros and tail, followed by a skippable frame,
    because readers reject data with too high a compression ratio."""
    def block(kind, size, content, last=0):
        return struct.pack("<I", last | kind << 1 | size << 3)[:3] + content

    out = struct.pack("<IBBI", 0xFD2FB528, 0x80, 0x58, len(head) + zeros + len(tail))
    out += block(0, len(head), head)
    for at in range(0, zeros, 1 << 16):
        out += block(1, min(1 << 16, zeros - at), b"\0")
    out += block(0, len(tail), tail, last=1)
    return out + struct.pack("<II", 0x184D2A50, MIB // 15) + bytes(MIB // 15)


def main():
    count = int(sys.argv[1])
    # is_stmt and prologue_end; at the start; line 7.
    row = bytes([3, 0, 7])
    records = [uleb(i != 0) + uleb(len(row)) + row for i in range(count)]
    block = zstd(uleb(MIB), MIB, b"".join(records))
    size = len(uleb(MIB)) + MIB + len(b"".join(records))
    section = struct.pack("<II", 2, 0)
    for i in range(3):
        section += struct.pack("<IIQ", count * i, size, 56 + len(block) * i)
    section += block * 2
    print("Ranges:")
    for i in range(2 * count):
        name, number = "fg"[i // count], i % count
        print(f"- {{Start: {0x1000 + 16 * i}, Length: 16, Function: {name}{number}, "
              f"File: {number}.c, Rows: [{{Offset: 0, Line: 3}}]}}")
    print(f"Sections: [{{Tag: STMT, Content: {section.hex()}}}]")


main()
