#!/usr/bin/env python3
"""Writes a GSYM file of version 1, which LLVM 19 made, in another form.

    gsym-variants.py [--version=2] [--swap] [--merged=NAME] [--call-sites]
                     [--patch=OFFSET:HEX] FILE OUTPUT

--version=2 writes LLVM 23's layout; --swap, the other byte order; --merged, a function
NAME that the linker merged with each function; --call-sites, the call sites of each.
--patch damages the result. Without options, OUTPUT is FILE.

The layouts are those of LLVM's GsymCreatorV1.cpp, GsymCreatorV2.cpp, FunctionInfo.cpp,
InlineInfo.cpp, MergedFunctionsInfo.cpp and CallSiteInfo.cpp.
"""

import argparse
import struct

LINES, INLINE, MERGED, CALL_SITES = 1, 2, 3, 4
ADDRESSES, INFOS, STRINGS, FILES, FUNCTIONS, UUID = 1, 2, 3, 4, 5, 6
MAGIC = 0x4753594D
SIZES = {1: "B", 2: "H", 4: "I", 8: "Q"}


def aligned(data, size):
    return data + bytes(-len(data) % size)


def uleb(number):
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


class Reader:
    def __init__(self, data, order, at=0):
        self.data, self.order, self.at = data, order, at

    def take(self, code):
        values = struct.unpack_from(self.order + code, self.data, self.at)
        self.at += struct.calcsize(self.order + code)
        return values if len(values) > 1 else values[0]

    def uleb(self):
        number = shift = 0
        while True:
            byte = self.take("B")
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number


class Writer:
    def __init__(self, order, reference):
        self.order, self.reference = order, reference

    def pack(self, code, *values):
        return struct.pack(self.order + code, *values)

    def part(self, kind, data):
        return self.pack("II", kind, len(data)) + data

    def inline(self, source):
        """Rewrites an InlineInfo, whose names are references to strings."""
        count = source.uleb()
        data = uleb(count)
        for _ in range(2 * count):
            data += uleb(source.uleb())
        if count == 0:
            return data, False
        children, name = source.take("B"), source.take("I")
        data += bytes([children]) + self.pack(self.reference, name)
        data += uleb(source.uleb()) + uleb(source.uleb())
        while children:
            child, children = self.inline(source)
            data += child
        return data, True


def read_function(data, order, at):
    """(size, name, parts)"""
    source = Reader(data, order, at)
    size, name = source.take("II")
    parts = []
    while True:
        kind, length = source.take("II")
        if kind == 0:
            return size, name, parts
        parts.append((kind, data[source.at:source.at + length]))
        source.at += length


def write_function(to, order, function, merged, call_sites):
    size, name, parts = function
    end = to.part(0, b"")
    data = to.pack("I" + to.reference, size, name)
    for kind, contents in parts:
        if kind == INLINE:
            contents = to.inline(Reader(contents, order))[0]
        data += to.part(kind, contents)
    if merged:
        # Its line table, which has line 999, is not that of the function.
        other = (to.pack("I" + to.reference, size, merged) +
                 to.part(LINES, b"\x00\x01" + uleb(999) + b"\x05\x00") + end)
        data += to.part(MERGED, to.pack("II", 1, len(other)) + other)
    if call_sites:
        sites = to.pack("I", 2)
        for flags, names in ((1, [name]), (2, [name, name])):
            sites += to.pack("QBI", size, flags, len(names))
            sites += to.pack(f"{len(names)}{to.reference}", *names)
        data += to.part(CALL_SITES, sites)
    return data + end


def layout_1(to, header, tables):
    size, base, count, uuid = header
    data = bytes(48)
    data = aligned(data, size) + tables[ADDRESSES]
    infos = len(aligned(data, 4))
    strings = infos + 4 * count + len(tables[FILES])
    first = len(aligned(bytes(strings) + tables[STRINGS], 4))
    offsets = to.pack(f"{count}I", *(first + o for o in tables[INFOS]))
    data = aligned(data, 4) + offsets + tables[FILES] + tables[STRINGS]
    start = to.pack("IHBBQIII20s", MAGIC, 1, size, len(uuid), base, count, strings,
                    len(tables[STRINGS]), uuid)
    return start + aligned(data, 4)[48:] + tables[FUNCTIONS]


def layout_2(to, header, tables):
    size, base, count, uuid = header
    tables[INFOS] = to.pack(f"{count}Q", *tables[INFOS])
    tables[UUID] = uuid
    order = ((UUID, 1), (ADDRESSES, size), (INFOS, 8), (FILES, 4), (STRINGS, 1), (FUNCTIONS, 4))
    sections = b""
    body = bytes(20 + 20 * (len(order) + 1))
    for kind, alignment in order:
        body = aligned(body, alignment)
        sections += to.pack("IQQ", kind, len(body), len(tables[kind]))
        body += tables[kind]
    sections += to.pack("IQQ", 0, 0, 0)
    start = to.pack("IHBBQI", MAGIC, 2, size, 0, base, count) + sections
    return start + body[len(start):]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", type=int, default=1)
    parser.add_argument("--swap", action="store_true")
    parser.add_argument("--merged")
    parser.add_argument("--call-sites", action="store_true")
    parser.add_argument("--patch")
    parser.add_argument("file")
    parser.add_argument("output")
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        data = file.read()
    order = "<" if data.startswith(b"MYSG") else ">"
    source = Reader(data, order, 6)
    size, uuid_size, base, count, strings, strings_size = source.take("BBQIII")
    uuid = data[source.at:source.at + uuid_size]
    source.at = len(aligned(bytes(48), size))
    addresses = [source.take(SIZES[size]) for _ in range(count)]
    source.at += -source.at % 4
    infos = [source.take("I") for _ in range(count)]
    files = [source.take("II") for _ in range(source.take("I"))]
    strings = data[strings:strings + strings_size]

    if options.swap:
        to_order = ">" if order == "<" else "<"
    else:
        to_order = order
    to = Writer(to_order, "Q" if options.version == 2 else "I")
    merged = 0
    if options.merged:
        merged = len(strings)
        strings += options.merged.encode() + b"\0"
    functions, offsets = b"", []
    for at in infos:
        functions = aligned(functions, 4)
        offsets.append(len(functions))
        functions += write_function(to, order, read_function(data, order, at), merged,
                                    options.call_sites)
    table = to.pack("I", len(files))
    for entry in files:
        table += to.pack("2" + to.reference, *entry)
    tables = {
        ADDRESSES: to.pack(f"{count}{SIZES[size]}", *addresses),
        INFOS: offsets,
        FILES: table,
        STRINGS: strings,
        FUNCTIONS: functions,
    }
    layout = layout_2 if options.version == 2 else layout_1
    result = bytearray(layout(to, (size, base, count, uuid), tables))
    if options.patch:
        at, digits = options.patch.split(":")
        patch = bytes.fromhex(digits)
        result[int(at):int(at) + len(patch)] = patch
    with open(options.output, "wb") as file:
        file.write(result)


if __name__ == "__main__":
    main()
