"""Prints, for yaml2obj, a PE file with a table of unwind information.

Usage: pdata.py x64|arm64 ENTRY...

Each entry describes a function of 64 bytes, the first at 0x140001000:

- HEX: its unwind information, at 0x3000 and every 256 bytes from there on;
- at:HEX: the word of .pdata with its offset, or "packed unwind data";
- end:HEX: it ends at this offset from the image base;
- code:HEX:HEX: like the first, and the function's first bytes;
- codes:HEX: ARM64 unwind codes, of a function without epilogues.
"""

import struct
import sys

TEXT, TABLE, INFO = 0x1000, 0x2000, 0x3000
machine, entries = sys.argv[1], sys.argv[2:]
table, info, code = b"", b"", b""
for number, entry in enumerate(entries):
    kind, _, value = entry.rpartition(":")
    begin, end, at = TEXT + 64 * number, TEXT + 64 * number + 64, INFO + 256 * number
    body = b""
    if kind == "at":
        at, value = int(value, 16), ""
    elif kind == "end":
        end, value = int(value, 16), ""
    elif kind == "codes":
        value += "e3" * (-len(value) // 2 % 4)
        value = struct.pack("<I", 16 | len(value) // 8 << 27).hex() + value
    elif kind:
        body = bytes.fromhex(value)
        value = kind.partition(":")[2]
    table += struct.pack("<III", begin, end, at) if machine == "x64" else struct.pack(
        "<II", begin, at
    )
    info += bytes.fromhex(value).ljust(256, b"\0")
    code += body.ljust(64, b"\x90")

print(f"""--- !COFF
OptionalHeader: {{AddressOfEntryPoint: {TEXT}, ImageBase: 0x140000000, SectionAlignment: 4096,
  FileAlignment: 512, MajorOperatingSystemVersion: 6, MinorOperatingSystemVersion: 0,
  MajorImageVersion: 0, MinorImageVersion: 0, MajorSubsystemVersion: 6,
  MinorSubsystemVersion: 0, Subsystem: IMAGE_SUBSYSTEM_WINDOWS_CUI, DLLCharacteristics: [],
  SizeOfStackReserve: 4096, SizeOfStackCommit: 4096, SizeOfHeapReserve: 4096,
  SizeOfHeapCommit: 4096}}
header: {{Machine: IMAGE_FILE_MACHINE_{"AMD64" if machine == "x64" else "ARM64"},
  Characteristics: [IMAGE_FILE_EXECUTABLE_IMAGE]}}
sections:""")
for name, address, content, flags in (
    (".text", TEXT, code, "IMAGE_SCN_CNT_CODE, IMAGE_SCN_MEM_EXECUTE"),
    (".pdata", TABLE, table, "IMAGE_SCN_CNT_INITIALIZED_DATA"),
    (".xdata", INFO, info, "IMAGE_SCN_CNT_INITIALIZED_DATA"),
):
    print(f"""  - {{Name: {name}, Characteristics: [{flags}, IMAGE_SCN_MEM_READ],
     VirtualAddress: {address}, VirtualSize: {len(content)}, SectionData: {content.hex()}}}""")
print("""symbols:
  - {Name: main, Value: 0, SectionNumber: 1, SimpleType: IMAGE_SYM_TYPE_NULL,
     ComplexType: IMAGE_SYM_DTYPE_FUNCTION, StorageClass: IMAGE_SYM_CLASS_EXTERNAL}""")
