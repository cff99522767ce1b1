"""Sets the modification times of the objects in the debug map of a Mach-O program.

usage: set-times.py PROGRAM SECONDS
"""

import struct
import sys

program, seconds = sys.argv[1:]
with open(program, "rb") as f:
    data = bytearray(f.read())
at = 32
for _ in range(struct.unpack_from("<I", data, 16)[0]):
    kind, size = struct.unpack_from("<II", data, at)
    if kind == 2:  # LC_SYMTAB
        symbols, count = struct.unpack_from("<II", data, at + 8)
    at += size
for at in range(symbols, symbols + 16 * count, 16):
    if data[at + 4] == 0x66:  # N_OSO
        struct.pack_into("<Q", data, at + 8, int(seconds))
with open(program, "wb") as f:
    f.write(data)
