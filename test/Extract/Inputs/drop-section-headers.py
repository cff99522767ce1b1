"""Makes an ELF file lose its section headers: drop-section-headers.py FILE [OFFSET].

With OFFSET, the header says that they are there, where nothing is.
"""

import struct
import sys

path = sys.argv[1]
offset = int(sys.argv[2], 0) if len(sys.argv) > 2 else 0
data = bytearray(open(path, "rb").read())
order = "<" if data[5] == 1 else ">"
if data[4] == 2:
    struct.pack_into(order + "Q", data, 0x28, offset)
    counts = 0x3C
else:
    struct.pack_into(order + "I", data, 0x20, offset)
    counts = 0x30
struct.pack_into(order + "HH", data, counts, *((9, 8) if offset else (0, 0)))
open(path, "wb").write(data)
