"""Facts about ELF, PE and Mach-O files for scripts that compare answers."""

import re
import struct


def format_of(path):
    """Returns "elf", "pe", "mach-o" or ""."""
    with open(path, "rb") as f:
        magic = f.read(4)
    if magic == b"\x7fELF":
        return "elf"
    if magic[:2] == b"MZ":
        return "pe"
    if magic in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe"):
        return "mach-o"
    return ""


def pe_header(data):
    """The offset of a PE file's COFF header."""
    return struct.unpack_from("<I", data, 0x3c)[0] + 4


def is_i386_pe(path):
    with open(path, "rb") as f:
        data = f.read(4096)
    return struct.unpack_from("<H", data, pe_header(data))[0] == 0x14c


def plain_name_function(path):
    """Returns a function that removes the characters that the format adds to a symbol's
    name."""
    kind = format_of(path)
    if kind == "mach-o":
        return lambda name: name.removeprefix("_")
    if kind == "pe" and is_i386_pe(path):
        return undecorated
    return lambda name: name


def exports_shown(path, text):
    """Yields (address, name) from the output of `llvm-readobj --coff-exports`."""
    with open(path, "rb") as f:
        data = f.read(4096)
    optional = pe_header(data) + 20
    is_64_bit = struct.unpack_from("<H", data, optional)[0] == 0x20b
    base, = (struct.unpack_from("<Q", data, optional + 24) if is_64_bit else
             struct.unpack_from("<I", data, optional + 28))
    pairs = re.findall(r"Name: (\S+)\s+RVA: 0x([0-9A-F]+)", text)
    return [(base + int(rva, 16), name) for name, rva in pairs]


def undecorated(name):
    """The DWARF name for a symbol of an i386 PE file."""
    if match := re.fullmatch(r"(.*)@@\d+", name):
        return match[1]
    name = re.sub(r"@\d+$", "", name)
    return name[1:] if name[:1] in ("_", "@") else name


def sections_shown(text):
    """The sections in the output of `llvm-objdump --section-headers`, by number:
    {number: (start, size, types)}."""
    sections = {}
    for line in text.splitlines():
        # The index, the name, which may contain spaces, the size, the address, the
        # types.
        if match := re.match(r"\s*(\d+) .*?\b([0-9a-f]{8}) ([0-9a-f]{8,16}) ([A-Z, ]*)$",
                             line):
            sections[int(match[1])] = (int(match[3], 16), int(match[2], 16),
                                       match[4])
    return sections


def code_sections_shown(text):
    """The executable sections, as (start, size)."""
    return [(start, size) for start, size, types in sections_shown(text).values()
            if "TEXT" in types and size]


def pe_symbols_shown(text):
    """(address, name, whether it is a function's) for each symbol of a PE file in the
    output of `llvm-objdump --section-headers --syms`."""
    sections = sections_shown(text)
    for match in re.finditer(r"^\[ *\d+\]\(sec +(-?\d+)\)\(fl 0x00\)\(ty +(\w+)\)"
                             r"\(scl +\d+\) \(nx \d+\) 0x(\w+) (.*)$", text,
                             re.MULTILINE):
        # Section numbers in the table begin with 1, and in the output with 0.
        section = sections.get(int(match[1]) - 1)
        if section:
            yield section[0] + int(match[3], 16), match[4], match[2] == "20"


def hide_symbols(path):
    """Turns the symbol tables of a file into plain data."""
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        {"elf": hide_elf, "pe": hide_pe, "mach-o": hide_mach_o}[format_of(path)](data)
        f.seek(0)
        f.write(data)


def hide_elf(data):
    order = "<" if data[5] == 1 else ">"
    is_64_bit = data[4] == 2
    table, = struct.unpack_from(order + ("Q" if is_64_bit else "I"), data,
                                0x28 if is_64_bit else 0x20)
    size, count = struct.unpack_from(order + "HH", data,
                                     0x3a if is_64_bit else 0x2e)
    for header in range(table, table + size * count, size):
        if struct.unpack_from(order + "I", data,
                              header + 4)[0] in (2, 11):  # SHT_SYMTAB, SHT_DYNSYM
            struct.pack_into(order + "I", data, header + 4, 1)  # SHT_PROGBITS


def hide_pe(data):
    """Moves each symbol into the section for debug information, because section names
    are in the same string table."""
    table, count = struct.unpack_from("<II", data, pe_header(data) + 8)
    at = table
    while at < table + count * 18:
        struct.pack_into("<hH", data, at + 12, -2, 0)
        at += 18 * (1 + data[at + 17])
    optional = pe_header(data) + 20
    is_64_bit = struct.unpack_from("<H", data, optional)[0] == 0x20b
    # The export table's directory.
    struct.pack_into("<II", data, optional + (112 if is_64_bit else 96), 0, 0)


def hide_mach_o(data):
    count, = struct.unpack_from("<I", data, 16)
    at = 32 if data[0] == 0xcf else 28
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == 2:  # LC_SYMTAB: its number of symbols
            struct.pack_into("<I", data, at + 12, 0)
        at += size
