"""many-inlined-calls.py COUNT: a program whose code is one function.

Writes module.yaml (for yaml2obj) and archive.yaml (for yaml2lidia). COUNT calls of f,
each from another line, are inlined into the function, one every 16 bytes.
"""

import sys

count = int(sys.argv[1])
start = 0x401000
build_id = "00112233445566778899aabbccddeeff00112233"

with open("module.yaml", "w") as file:
    file.write(f"""--- !ELF
FileHeader: {{Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_X86_64}}
ProgramHeaders:
  - {{Type: PT_LOAD, Flags: [PF_R, PF_X], VAddr: {start}, FirstSec: .text, LastSec: .text}}
Sections:
  - {{Name: .note.gnu.build-id, Type: SHT_NOTE, Flags: [SHF_ALLOC], Address: 0x400200,
     AddressAlign: 4, Notes: [{{Name: GNU, Type: 3, Desc: '{build_id}'}}]}}
  - {{Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR],
     Address: {start}, AddressAlign: 16, Size: {16 * (count + 1)}}}
""")
with open("archive.yaml", "w") as file:
    file.write(f"""Checksums: true
Info: {{Machine: 62, Type: 2, Class: 2, Data: 1, BuildID: {build_id}}}
Ranges:
  - {{Start: {start}, Length: {16 * (count + 1)}, Function: outer, File: a.c,
     Rows: [{{Offset: 0, Line: 1}}]}}
""")
    for i in range(1, count + 1):
        file.write(f"""\
  - {{Start: {start + 16 * i}, Length: 8, Depth: 1, Function: f, File: b.h,
     CallFile: a.c, CallLine: {i}, Rows: [{{Offset: 0, Line: {i}}}]}}
""")
