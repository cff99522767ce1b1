#!/usr/bin/env python3
"""Writes a PDB file again, with blocks of 512 bytes, valid or broken.

    pdb-variants.py KIND PDB OUTPUT

KIND is small: without the streams that lidia does not read, for fuzzing; scattered:
blocks in reverse order; shared: all modules have the first one's stream; endless: the
streams are those of the directory, repeatedly; lines: the size of line information is
too large; circle: a function's calls and scopes refer to themselves; omap: the program
was rearranged; partial: it says that most is in the object files, and has no code;
parent=N: the second half of the second function of msvc.pdb is separated code, whose parent
is the record at N; or public=NAME: the public symbol of msvc.pdb without other information
is NAME, and no function. The layouts are those of LLVM's docs/PDB.
"""

import struct
import sys

BLOCK = 512

def read_streams(data):
    block, _, _, size, _, place = struct.unpack_from("<6I", data, 32)

    def gather(numbers, size):
        return b"".join(data[n * block:(n + 1) * block] for n in numbers)[:size]

    count = -(-size // block)
    directory = gather(struct.unpack_from(f"<{count}I", data, place * block), size)
    count, = struct.unpack_from("<I", directory)
    sizes = struct.unpack_from(f"<{count}I", directory, 4)
    at, streams = 4 + 4 * count, []
    for size in sizes:
        size = 0 if size == 0xFFFFFFFF else size
        blocks = -(-size // block)
        streams.append(gather(struct.unpack_from(f"<{blocks}I", directory, at), size))
        at += 4 * blocks
    return streams


def write(streams, scattered=False, endless=False):
    counts = [-(-len(s) // BLOCK) for s in streams]
    total, first = sum(counts), 3
    numbers = list(range(first, first + total))
    if scattered:
        numbers.reverse()
    data = bytearray((first + total) * BLOCK)
    at, lists = 0, []
    for stream, count in zip(streams, counts):
        mine = numbers[at:at + count]
        at += count
        for i, number in enumerate(mine):
            part = stream[i * BLOCK:(i + 1) * BLOCK]
            data[number * BLOCK:number * BLOCK + len(part)] = part
        lists += mine
    if endless:
        streams, lists = streams + [bytes(len(data))] * 8, lists + numbers * 64
    directory = struct.pack(f"<I{len(streams)}I{len(lists)}I", len(streams),
                            *map(len, streams), *lists)
    blocks = [len(data) // BLOCK + i for i in range(-(-len(directory) // BLOCK))]
    data += directory + bytes(-len(directory) % BLOCK)
    place = len(data) // BLOCK
    listed = struct.pack(f"<{len(blocks)}I", *blocks)
    data += listed + bytes(-len(listed) % BLOCK)
    magic = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0"
    data[:56] = magic + struct.pack("<6I", BLOCK, 1, len(data) // BLOCK, len(directory), 0,
                                    place)
    return bytes(data)


class Headers:
    """The fields of the debug information stream that name other streams."""

    def __init__(self, dbi):
        sizes = struct.unpack_from("<5iI2i", dbi, 24)
        self.modules = []
        at = 64
        while at < 64 + sizes[0]:
            self.modules.append(at + 34)
            end = dbi.index(b"\0", dbi.index(b"\0", at + 64) + 1) + 1
            at = (end + 3) & ~3
        self.extra = 64 + sum(sizes[:5]) + sizes[7]
        self.extra_size = sizes[6]


def number(data, at):
    return struct.unpack_from("<H", data, at)[0]


def shrink(streams):
    """Empties the parts that are not read: hash tables, and streams to which nothing
    refers."""
    dbi = streams[3]
    headers = Headers(dbi)
    used = {1, 2, 3, 4, number(dbi, 20)}
    used |= {number(dbi, at) for at in headers.modules}
    used.add(number(dbi, headers.extra + 10))
    names = next(i for i, s in enumerate(streams) if s[:4] == b"\xfe\xef\xfe\xef")
    used.add(names)
    return [s if i in used else b"" for i, s in enumerate(streams)]


def change(kind, streams):
    dbi = bytearray(streams[3])
    headers = Headers(dbi)
    module = number(dbi, headers.modules[0])
    if kind == "shared":
        for at in headers.modules:
            struct.pack_into("<H", dbi, at, module)
    elif kind == "omap":
        struct.pack_into("<H", dbi, headers.extra + 8, 1)
    elif kind == "lines":
        symbols, = struct.unpack_from("<I", dbi, headers.modules[0] + 2)
        data = bytearray(streams[module])
        struct.pack_into("<I", data, symbols + 4, 0x7FFFFFFF)
        streams[module] = bytes(data)
    elif kind == "partial":
        streams[1] += b"MINI"
        for at in headers.modules:
            struct.pack_into("<H", dbi, at, 0xFFFF)
        streams[number(dbi, 20)] = b""
    elif kind.startswith("public="):
        data = bytearray(streams[number(dbi, 20)])
        at = data.index(b"?withoutLines@")
        end = data.index(b"\0", at)
        data[at:end] = kind[7:].encode().ljust(end - at, b"\0")
        struct.pack_into("<I", data, at - 10, 0)
        streams[number(dbi, 20)] = bytes(data)
    elif kind.startswith("parent="):
        symbols, = struct.unpack_from("<I", dbi, headers.modules[0] + 2)
        streams[module], added = with_separated(streams[module], int(kind[7:]))
        struct.pack_into("<I", dbi, headers.modules[0] + 2, symbols + added)
    elif kind == "circle":
        streams[module] = with_circles(streams[module])
    streams[3] = bytes(dbi)
    return streams


def with_separated(data, parent):
    """The stream with S_SEPCODE for the second half of the function whose record is at
    220, and the number of bytes added."""
    data = bytearray(data)
    size, _, _, _, start, section = struct.unpack_from("<5IH", data, 236)
    struct.pack_into("<I", data, 236, size // 2)
    record = struct.pack("<HH6I2H", 30, 0x1132, parent, 0, size - size // 2, 0,
                         start + size // 2, start, section, section)
    record += struct.pack("<HH", 2, 6)  # S_END
    end = 544  # of the function's records
    return bytes(data[:end] + record + data[end:]), len(record)


def with_circles(data):
    """Makes each inlined call its own parent, and its end precede its beginning."""
    data, at = bytearray(data), 4
    while at + 4 <= len(data):
        size, kind = struct.unpack_from("<HH", data, at)
        if kind == 0x114D:
            struct.pack_into("<II", data, at + 4, at, 0)
        if kind == 0x114E:
            struct.pack_into("<H", data, at + 2, 0x114D)
        at += 2 + size
        if size < 2:
            break
    return bytes(data)


def main():
    kind, source, output = sys.argv[1:]
    with open(source, "rb") as file:
        streams = read_streams(file.read())
    streams = change(kind, shrink(streams))
    with open(output, "wb") as file:
        file.write(write(streams, kind == "scattered", kind == "endless"))


main()
