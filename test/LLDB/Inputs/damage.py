#!/usr/bin/env python3
"""damage.py INPUT KIND OUTPUT: writes a damaged copy.

machine: an ELF file whose header says AArch64. half: the first half. flip: one bit
flipped in the middle.
"""
import sys

source, kind, target = sys.argv[1:]
with open(source, "rb") as file:
    data = bytearray(file.read())
if kind == "machine":
    data[18:20] = (183).to_bytes(2, "little")
elif kind == "half":
    del data[len(data) // 2 :]
elif kind == "flip":
    data[len(data) // 2] ^= 1
else:
    sys.exit("unknown kind of damage: " + kind)
with open(target, "wb") as file:
    file.write(data)
