"""Adds a STMT section with COUNT notes on calls to the description of an archive.

    many-calls.py COUNT DESCRIPTION [FIRST-NOTE NOTE] > NEW-DESCRIPTION

Each note is the hexadecimal NOTE. By default it is a call without code: of the block's
third string, in its first file, inlined at the start of the first function
(docs/Format.md).
"""

import sys


def uleb(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def word(size, number):
    return number.to_bytes(size, "little")


first, note = map(bytes.fromhex, sys.argv[3:] or ["020002000703"] * 2)
record = bytes([1, 0, 3, 0x80]) + first + note * (int(sys.argv[1]) - 1)
block = bytes([3, 0x17, 0x1E, 0x12, 0]) + uleb(len(record)) + record
begin = 8 + 2 * 16
section = (word(4, 1) + word(4, 0) + word(4, 0) + word(4, len(block)) + word(8, begin)
           + word(4, 0) + word(4, 0) + word(8, begin + len(block)) + block)
print(open(sys.argv[2]).read())
print("Sections: [{Tag: STMT, Content: %s}]" % section.hex())
