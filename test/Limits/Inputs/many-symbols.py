#!/usr/bin/env python3
"""Writes an ELF file with COUNT functions of 16 bytes each, from 0x1000 on.

    many-symbols.py COUNT FILE

They are called function_0, function_1, ... and are only in .symtab. The headers come
first, so that a truncated file can still be opened. There is no build ID."""

import struct
import sys

count, path = int(sys.argv[1]), sys.argv[2]

names = bytearray(b"\0")
symbols = bytearray(24)
for i in range(count):
    # STT_FUNC, STB_GLOBAL, section 1
    symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, 0x1000 + 16 * i, 16)
    names += b"function_%d\0" % i
text = b"\xc3" * (16 * count)
section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB = 1, 2, 3
ALLOC_EXECINSTR = 6
# name, type, flags, address, contents, link, info, size of an entry
sections = [
    (".text", SHT_PROGBITS, ALLOC_EXECINSTR, 0x1000, text, 0, 0, 0),
    (".symtab", SHT_SYMTAB, 0, 0, symbols, 3, 1, 24),
    (".strtab", SHT_STRTAB, 0, 0, names, 0, 0, 0),
    (".shstrtab", SHT_STRTAB, 0, 0, section_names, 0, 0, 0),
]
offset = 64 + 64 * (len(sections) + 1)
header = struct.pack(
    "<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0x1000, 0, 64, 0, 64, 0, 0, 64,
    len(sections) + 1, len(sections))
table = bytearray(64)
# The section names are in the part that is read first.
order = sorted(sections, key=lambda s: s[0] != ".shstrtab")
offsets = {}
for section in order:
    offsets[section[0]] = offset
    offset += len(section[4])
for name, kind, flags, address, contents, link, info, entry in sections:
    table += struct.pack(
        "<IIQQQQIIQQ", section_names.index(name.encode() + b"\0"), kind, flags, address,
        offsets[name], len(contents), link, info, 8, entry)
with open(path, "wb") as file:
    file.write(header + table)
    for section in order:
        file.write(section[4])
