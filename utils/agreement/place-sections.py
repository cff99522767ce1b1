#!/usr/bin/env python3
"""Copies a relocatable object so that no two of its sections share addresses.

In a relocatable object (.o, .ko), all sections begin at address 0, so llvm-symbolizer
answers a question about an address in one section with the symbols and lines of any
section. In the copy, the executable sections have the archive's addresses
(docs/Format.md, SECT), and data follows far after them. .debug_aranges is also removed,
because llvm-symbolizer does not apply its relocations. Nothing else is changed:

    compare-with-symbolizer.py COPY

then compares all of the object's code.
"""

import argparse
import struct
import sys

ALLOC, EXECUTE = 2, 4
DATA = 0x40000000


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object")
    parser.add_argument("copy")
    args = parser.parse_args()
    with open(args.object, "rb") as file:
        data = bytearray(file.read())
    if data[:6] != b"\x7fELF\x02\x01" or data[16] != 1:
        sys.exit(f"{args.object}: not a relocatable object, 64-bit and little-endian")
    table, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3c)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]

    def name(header):
        start = headers[names][4] + header[0]
        return bytes(data[start:data.index(0, start)]).decode()

    def place(chosen, end):
        for i, header in enumerate(headers):
            if header[5] and chosen(header):
                align = max(header[8], 1)
                end = (end + align - 1) // align * align
                struct.pack_into("<Q", data, table + 64 * i + 16, end)
                end += header[5]
        return end

    def is_code(header):
        return header[2] & ALLOC and header[2] & EXECUTE

    end = place(lambda h: is_code(h) and not name(h).startswith(".init"), 0)
    place(lambda h: is_code(h) and name(h).startswith(".init"), end)
    place(lambda h: h[2] & ALLOC and not h[2] & EXECUTE, DATA)
    for i, header in enumerate(headers):
        if name(header).endswith(".debug_aranges"):
            # SHT_NULL, and the name of section 0, which is empty.
            struct.pack_into("<II", data, table + 64 * i, headers[0][0], 0)
    with open(args.copy, "wb") as file:
        file.write(data)


main()
