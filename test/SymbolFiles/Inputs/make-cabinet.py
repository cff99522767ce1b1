#!/usr/bin/env python3
"""Writes a cabinet file with one file, compressed with MSZIP, as symbol servers store
name.pd_.

    make-cabinet.py INPUT OUTPUT [KIND]
    make-cabinet.py --unpack INPUT OUTPUT

KIND is halves (two files, each half of INPUT), stored (not compressed), bomb (a
gigabyte of zero bytes instead), lies (the same, but the file is announced as 10 bytes),
damaged (a byte in the middle is changed) or nested (the file is the cabinet file
itself).

The layout is Microsoft's [MS-CAB].
"""

import os
import struct
import sys
import zlib

BLOCK = 32768


def checksum(data, seed=0):
    whole = len(data) & ~3
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        seed ^= word
    return seed ^ int.from_bytes(data[whole:], "big")


def record(data, size):
    sizes = struct.pack("<HH", len(data), size)
    return struct.pack("<I", checksum(sizes, checksum(data))) + sizes + data


def blocks(chunks, stored):
    """The CFDATA records. Each block's dictionary is the unpacked previous block."""
    before, known = b"", {}
    for chunk in chunks:
        made = known.get((chunk, before))
        if stored:
            made = record(chunk, len(chunk))
        if made is None:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=before) if before else \
                zlib.compressobj(9, zlib.DEFLATED, -15, 9)
            made = record(b"CK" + packer.compress(chunk) + packer.flush(), len(chunk))
            known[chunk, before] = made
        yield made
        before = chunk


def cabinet(name, size, chunks, stored=False, count=1):
    records = list(blocks(chunks, stored))
    files = b"".join(struct.pack("<IIHHHH", size // count, size // count * i, 0, 0, 0, 0x20) +
                     name.encode() + b"\0" for i in range(count))
    start = 36 + 8 + len(files)
    folder = struct.pack("<IHH", start, len(records), 0 if stored else 1)
    body = folder + files + b"".join(records)
    return struct.pack("<4sIIIIIBBHHHHH", b"MSCF", 0, 36 + len(body), 0, 36 + 8, 0, 3, 1, 1,
                       count, 0, 0, 0) + body


def unpack(source, output):
    """Unpacks a file that main() wrote."""
    with open(source, "rb") as file:
        packed = file.read()
    at, count = struct.unpack_from("<IH", packed, 36)
    result = b""
    for _ in range(count):
        size = struct.unpack_from("<H", packed, at + 4)[0]
        block = packed[at + 10:at + 8 + size]
        result += zlib.decompressobj(-15, zdict=result[-BLOCK:]).decompress(block)
        at += 8 + size
    with open(output, "wb") as file:
        file.write(result)


def main():
    if sys.argv[1] == "--unpack":
        return unpack(*sys.argv[2:])
    source, output, *kind = sys.argv[1:]
    kind = kind[0] if kind else ""
    name = os.path.basename(source)
    with open(source, "rb") as file:
        contents = file.read()
    chunks = [contents[i:i + BLOCK] for i in range(0, len(contents), BLOCK)]
    size = len(contents)
    if kind in ("bomb", "lies"):
        chunks = [bytes(BLOCK)] * BLOCK
        size = 10 if kind == "lies" else BLOCK * BLOCK
    packed = bytearray(cabinet(name, size, chunks, kind == "stored", 1 + (kind == "halves")))
    if kind == "nested":
        packed = cabinet(name, len(packed), [bytes(packed[i:i + BLOCK])
                                             for i in range(0, len(packed), BLOCK)])
    if kind == "damaged":
        packed[len(packed) // 2] ^= 0xFF
    with open(output, "wb") as file:
        file.write(packed)


main()
