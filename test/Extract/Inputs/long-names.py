"""long-names.py N FILE: an ELF file with N stubs for functions whose names are parts
of one string of 1 MB."""

import struct
import sys

TEXT, PLT, GOT = 0x400000, 0x500000, 0x800000


def elf(sections):
    """The file of sections (name, type, flags, address, bytes, link, entry size)."""
    sections = sections + [(".shstrtab", 3, 0, 0, None, 0, 0)]
    names = b"\0" + b"".join(s[0].encode() + b"\0" for s in sections)
    body, table, name = b"", b"\0" * 64, 1
    for title, kind, flags, address, data, link, entry in sections:
        data = names if data is None else data
        table += struct.pack("<IIQQQQIIQQ", name, kind, flags, address,
                             64 + len(body), len(data), link, 0, 1, entry)
        body += data
        name += len(title) + 1
    count = len(sections) + 1
    head = b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, TEXT, 0, 64 + len(body), 0, 64, 56, 0, 64, count,
        count - 1)
    return head + body + table


n, path = int(sys.argv[1]), sys.argv[2]
stubs, symbols, relocations = b"", b"\0" * 24, b""
for i in range(n):
    # jmp *WORD(%rip)
    stubs += b"\xff\x25" + struct.pack("<i", GOT + 8 * i - (PLT + 16 * i + 6))
    stubs += b"\x90" * 10
    symbols += struct.pack("<IBBHQQ", 1 + i, 0x12, 0, 0, 0, 0)
    relocations += struct.pack("<QQq", GOT + 8 * i, (i + 1) << 32 | 7, 0)
with open(path, "wb") as file:
    file.write(elf([
        (".text", 1, 6, TEXT, b"\xc3" * 64, 0, 0),
        (".dynstr", 3, 2, 0, b"\0" + b"p" * (1 << 20) + b"\0", 0, 0),
        (".dynsym", 11, 2, 0, symbols, 2, 24),
        (".rela.plt", 4, 2, 0, relocations, 3, 24),
        (".plt", 1, 6, PLT, stubs, 0, 16),
    ]))
