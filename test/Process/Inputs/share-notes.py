"""Writes a core of 500 segments with one note, a list of 20,000 mappings: share-notes.py CORE"""

import struct
import sys

MAPPINGS = 20000
SEGMENTS = 500
NT_FILE = 0x46494C45

contents = struct.pack("<QQ", MAPPINGS, 4096)
for i in range(MAPPINGS):
    contents += struct.pack("<QQQ", 0x2000 * i + 0x1000, 0x2000 * (i + 1), 0)
contents += MAPPINGS * b"a\0"
note = struct.pack("<III", 5, len(contents), NT_FILE) + b"CORE\0\0\0\0" + contents
offset = 64 + 56 * SEGMENTS
header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
    "<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, SEGMENTS, 64, 0, 0)
segment = struct.pack("<IIQQQQQQ", 4, 4, offset, 0, 0, len(note), len(note), 4)
with open(sys.argv[1], "wb") as file:
    file.write(header + SEGMENTS * segment + note)
