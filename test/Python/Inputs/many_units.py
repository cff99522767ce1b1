"""Prints a program as YAML for yaml2obj: many_units.py COUNT

Each of COUNT functions of 16 bytes has its own compile unit. The build ID is 010203...14."""

import struct
import sys

TEXT = 0x400000
# A unit with children and no attributes; a subprogram with a name, a start and a size.
ABBREVIATIONS = bytes([1, 0x11, 1, 0, 0, 2, 0x2E, 0, 3, 8, 0x11, 1, 0x12, 6, 0, 0, 0])
BUILD_ID = struct.pack("<III4s", 4, 20, 3, b"GNU") + bytes(range(1, 21))

count = int(sys.argv[1])
info = bytearray()
for i in range(count):
    dies = b"\1\2f%d\0" % i + struct.pack("<QI", TEXT + 16 * i, 16) + b"\0"
    info += struct.pack("<IHIB", len(dies) + 7, 4, 0, 8) + dies
print(f"""--- !ELF
FileHeader: {{Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_X86_64}}
Sections:
  - {{Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR],
     Address: {TEXT}, Size: {16 * count}}}
  - {{Name: .note.gnu.build-id, Type: SHT_NOTE, Flags: [SHF_ALLOC], Address: 0x300000,
     Content: '{BUILD_ID.hex()}'}}
  - {{Name: .debug_abbrev, Type: SHT_PROGBITS, Content: '{ABBREVIATIONS.hex()}'}}
  - {{Name: .debug_info, Type: SHT_PROGBITS, Content: '{info.hex()}'}}
""")
