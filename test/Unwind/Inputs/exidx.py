"""Prints, for yaml2obj, an Arm program with an exception table.

Usage: exidx.py ENTRY...

Each entry describes a function of 16 bytes, the first at 0x1000:

- HEX: the second word of its entry in .ARM.exidx, unchanged;
- table:HEX,HEX...: the words of its entry in .ARM.extab;
- bad:HEX: the first word of its entry in .ARM.exidx, with CANTUNWIND;
- far: its entry in .ARM.extab is outside of the program;
- tail: no entry, but a few bytes at the end of .ARM.exidx.
"""

import struct
import sys

TEXT, TABLE, INDEX = 0x1000, 0x2000, 0x8000


def offset(place, target):
    return (target - place) & 0x7FFFFFFF


index, table = b"", b""
for number, entry in enumerate(sys.argv[1:]):
    kind, _, words = entry.rpartition(":")
    place = INDEX + len(index)
    first = offset(place, TEXT + 16 * number)
    if kind == "table":
        second = offset(place + 4, TABLE + len(table))
        for word in words.split(","):
            table += struct.pack("<I", int(word, 16))
    elif kind == "bad":
        first, second = int(words, 16), 1
    elif entry == "far":
        second = offset(place + 4, 0x7000)
    elif entry == "tail":
        index += b"\x01\x02\x03"
        break
    else:
        second = int(words, 16)
    index += struct.pack("<II", first, second)

print(f"""--- !ELF
FileHeader: {{Class: ELFCLASS32, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_ARM,
             Entry: {TEXT:#x}}}
ProgramHeaders:
  - {{Type: PT_LOAD, FirstSec: .text, LastSec: .text, VAddr: {TEXT:#x}}}
  - {{Type: PT_LOAD, FirstSec: .ARM.extab, LastSec: .ARM.exidx, VAddr: {TABLE:#x}}}
Sections:
  - {{Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR],
     Address: {TEXT:#x}, Size: {16 * len(sys.argv):#x}}}
  - {{Name: .ARM.extab, Type: SHT_PROGBITS, Flags: [SHF_ALLOC], Address: {TABLE:#x},
     Content: '{table.hex()}'}}
  - {{Name: .ARM.exidx, Type: SHT_ARM_EXIDX, Flags: [SHF_ALLOC], Address: {INDEX:#x},
     Content: '{index.hex()}'}}
Symbols:
  - {{Name: main, Type: STT_FUNC, Section: .text, Value: {TEXT:#x}, Size: 4}}""")
