#!/usr/bin/env python3
"""usage: split-units.py INFO TYPES REST

Splits the units of INFO, a DWARF 5 .debug_info, into its type units and the others.
"""

import struct
import sys

info, types, rest = sys.argv[1:]
data = open(info, "rb").read()
parts = {True: b"", False: b""}
at = 0
while at < len(data):
    length, version, kind = struct.unpack_from("<IHB", data, at)
    assert version == 5
    # DW_UT_type, DW_UT_split_type
    parts[kind in (2, 6)] += data[at:at + 4 + length]
    at += 4 + length
assert all(parts.values())
open(types, "wb").write(parts[True])
open(rest, "wb").write(parts[False])
