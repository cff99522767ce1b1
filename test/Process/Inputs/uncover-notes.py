#!/usr/bin/env python3
"""Copies a little-endian ELF64 file without its PT_NOTEs: uncover-notes.py IN OUT

They become PT_NULL, so that only the section headers locate the notes, as in programs
from Go's linker.
"""

import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
offset, = struct.unpack_from("<Q", data, 32)
count, = struct.unpack_from("<H", data, 56)
hidden = 0
for header in range(offset, offset + 56 * count, 56):
    if struct.unpack_from("<I", data, header) == (4,):
        struct.pack_into("<I", data, header, 0)
        hidden += 1
assert hidden, "no PT_NOTE"
with open(sys.argv[2], "wb") as file:
    file.write(data)
