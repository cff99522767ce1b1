"""Replaces the words of __unwind_info in a 64-bit Mach-O file.

Usage: compact.py FROM TO [--size=N] WORD...

Words are hexadecimal, from the section's start on; the rest is zero. --size sets the
section's size.
"""

import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
words = [argument for argument in sys.argv[3:] if argument[:2] != "--"]
header = data.index(b"__unwind_info\0\0\0__TEXT")
size, offset = struct.unpack_from("<QI", data, header + 40)
data[offset:offset + size] = bytes(size)
for number, word in enumerate(words):
    struct.pack_into("<I", data, offset + 4 * number, int(word, 16))
for argument in sys.argv[3:]:
    if argument.startswith("--size="):
        struct.pack_into("<Q", data, header + 40, int(argument[7:]))
open(sys.argv[2], "wb").write(data)
