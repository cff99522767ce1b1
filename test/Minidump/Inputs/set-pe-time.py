#!/usr/bin/env python3
"""Writes a copy of a PE file with another time and size of its image, in hexadecimal digits:

    set-pe-time.py IN OUT TIME SIZE
"""

import struct
import sys

source, target, time, size = sys.argv[1:]
data = bytearray(open(source, "rb").read())
pe, = struct.unpack_from("<I", data, 0x3C)
struct.pack_into("<I", data, pe + 8, int(time, 16))
struct.pack_into("<I", data, pe + 24 + 56, int(size, 16))
open(target, "wb").write(data)
