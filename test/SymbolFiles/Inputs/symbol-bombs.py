"""Writes symbol files that are crafted to need much memory or time.

usage: symbol-bombs.py KIND FILE
"""

import struct
import sys


def gsym(offsets, infos, strings=b"\0f\0", count=None, files=b"\0\0\0\0\0\0\0\0"):
    """A GSYM file of functions 4 bytes apart, whose parts are at OFFSETS in INFOS."""
    count = len(offsets) if count is None else count
    tables = 48 + 4 * len(offsets)
    tables += 4 * len(offsets) + 4 + len(files)
    header = struct.pack("<IHBBQIII20s", 0x4753594d, 1, 4, 0, 0x1000, count,
                         tables + len(infos), len(strings), b"")
    return (header + b"".join(struct.pack("<I", 4 * i) for i in range(len(offsets)))
            + b"".join(struct.pack("<I", tables + o) for o in offsets)
            + struct.pack("<I", len(files) // 8) + files + infos + strings)


def part(kind, data):
    return struct.pack("<II", kind, len(data)) + data


def function(*parts):
    return struct.pack("<II", 4, 1) + b"".join(parts) + struct.pack("<II", 0, 0)


def symcache(locations, ranges, version=8, counts=None, strings=b"\x01f"):
    """A SymCache with one function."""
    def pad(data):
        return data + bytes(-len(data) % 8)
    files, functions, found, starts, size = counts or (
        0, 1, len(locations), len(ranges), len(strings))
    header = struct.pack("<4sI16s16s6I16s", b"SYMC", version, b"", b"", 201, files,
                         functions, found, starts, size, b"")
    return (header + pad(struct.pack("<4I", 0, 0xffffffff, 0, 0))
            + pad(b"".join(struct.pack("<4I", *l) for l in locations))
            + pad(b"".join(struct.pack("<I", r) for r in ranges)) + strings)


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


def symbfile(*messages):
    """A symbfile of MESSAGES, pairs of a type and bytes."""
    return b"symbfile\0\1" + b"".join(
        varint(len(data)) + varint(kind) + data for kind, data in messages)


NONE = 0xffffffff
HEAD = b"MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 prog\n"


def bomb(kind):
    if kind == "gsym-shared":
        # 100,000 functions share one line table of a million rows.
        table = b"\x00\x01\x01" + b"\x05" * 1000000 + b"\0"
        return gsym([0] * 100000, function(part(1, table)))
    if kind == "gsym-calls":
        # Each function has the same million calls.
        call = b"\x01\x00\x01\x00" + struct.pack("<I", 1) + b"\x01\x01"
        tree = b"\x01\x00\x04\x01" + struct.pack("<I", 1) + b"\0\0" + call * 200000 + b"\0"
        return gsym([0] * 20000, function(part(2, tree)))
    if kind == "gsym-deep":
        call = b"\x01\x00\x04\x01" + struct.pack("<I", 1) + b"\x01\x01"
        return gsym([0], function(part(2, call * 1000000)))
    if kind == "gsym-ranges":
        # A call with 2^60 ranges.
        tree = b"\xff" * 8 + b"\x0f" + bytes(100)
        return gsym([0], function(part(2, tree)))
    if kind == "gsym-counts":
        return gsym([0] * 10, function(), count=0xffffffff)
    if kind == "gsym-names":
        # Each function is named by another part of one long string.
        strings = b"\0" + b"x" * 1000000 + b"\0"
        infos = b"".join(struct.pack("<IIII", 4, 1 + i, 0, 0) for i in range(100000))
        return gsym([16 * i for i in range(100000)], infos, strings)
    if kind == "gsym-paths":
        # A million files in one long folder.
        files = bytes(8) + struct.pack("<II", 1, 1) * 300000
        table = b"\x00\x01\x01" + b"".join(
            b"\x01" + bytes([128 | i & 127, 128 | i >> 7 & 127, i >> 14]) + b"\x05"
            for i in range(1, 300000)) + b"\0"
        return gsym([0], function(part(1, table)), b"\0" + b"x" * 1000000 + b"\0", files=files)
    if kind == "symcache-circle":
        locations = [(0, 1, 0, 0)] * 2
        return symcache(locations, [0, 16])
    if kind == "symcache-chains":
        # A hundred thousand ranges are in a thousand nested calls each.
        calls = [(NONE, 1, 0, NONE)] + [(NONE, i, 0, i - 1) for i in range(1, 1000)]
        ranges = [(NONE, 2, 0, 999), (NONE, NONE, NONE, NONE)] * 50000
        return symcache(calls + ranges, range(0, 400000, 4))
    if kind == "symcache-counts":
        return symcache([], [], counts=[NONE] * 5)
    if kind == "symcache-string":
        return symcache([(NONE, 1, 0, NONE)] * 2, [0, 16], strings=b"\xff" * 16)
    if kind == "breakpad-names":
        # A name of a megabyte is used 100,000 times.
        return (HEAD + b"INLINE_ORIGIN 1 " + b"x" * 1000000 + b"\nFUNC 0 1000000 0 f\n"
                + b"".join(b"INLINE 0 1 1 1 %x 4\n" % (8 * i) for i in range(100000)))
    if kind == "breakpad-levels":
        return HEAD + b"FUNC 0 1000 0 f\n" + b"".join(
            b"INLINE %d 1 1 1 0 1000\n" % i for i in range(200000))
    if kind == "breakpad-overlap":
        return HEAD + b"".join(b"FUNC %x ffffff 0 f\n1 ffffff 1 1\n" % i for i in range(100000))
    if kind == "symbfile-names":
        # A name of a megabyte is used 100,000 times: a range of 16 bytes, each 16 after
        # the last, has string 0 of the table.
        name = b"\x0a" + varint(1000000) + b"x" * 1000000
        return symbfile((4, name), *[(2, b"\x08\x20\x10\x10\x48\x00")] * 100000)
    if kind == "symbfile-deep":
        # All at one address, each inlined into the last.
        return symbfile(*((2, b"\x60\x10\x10\x10\x1a\x01f\x38" + varint(depth))
                          for depth in range(200000)))
    if kind == "symbfile-size":
        return b"symbfile\0\1" + varint(1 << 63) + b"\2"
    raise SystemExit(f"no bomb {kind}")


with open(sys.argv[2], "wb") as file:
    file.write(bomb(sys.argv[1]))
