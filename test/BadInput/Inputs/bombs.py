"""Writes an ELF file whose debug information is small but expands to a large amount.

usage: bombs.py KIND N FILE

DIEs and units may refer to one range list, line table, abbreviation table or string any
number of times. The file has code from 0x400000 on and these units: `before`, with a
function of that name at 0x500000; the units for KIND; and `after`, with a function at
0x500010. N determines the amount:

  ranges         N functions share a range list of N ranges
  nested-ranges  N inlined calls, each in the one before, share such a list
  overlap        N functions each have all the rows of a line table of 5N
  lines          N units share a line table of 5N rows
  abbreviations  N units read a table of 5N abbreviations, each from another place
  scope          N functions are in a namespace with a name of 1 MB
  directory      a line table has N files in a directory with a name of 1 MB
  path           a function has 5N rows in a file with a name of 30 kB
  rows           a function has 10N rows, two at each address
  names          N units each name a function by a part of one string of 1 MB
  packed-names   the same with 8 MB of zeros, which a compressed file can have, and
                 with a line table for the first unit
  symbols        N symbols are named by parts of one string of 1 MB (no unit)
  mangled        the same with names that look mangled
  pieces         a function with 1000 inlined calls, each in the one before, is
                 cut into pieces by N functions
  row-pieces     a function with 5N rows is cut into pieces by N functions
  files-last     a unit with N functions, then one with 5N rows of N files in turns
  files-first    the same units in reverse order
  flags          a function has N variables of one byte, each with N attributes
  sections       N sections are named by parts of one string of 1 MB (no unit)
"""

import struct
import sys

CODE = 0x400000
HARMLESS = 0x500000


def uleb(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def elf(sections, tails=0, machine=62):
    """An ELF file with 16 MB of code and the sections of the dictionary, and with TAILS
    empty sections, which are named by tails of one string of 1 MB."""
    headers = [(".text", 8, 6, CODE, b"", 1 << 24)]
    for name, data in sections.items():
        kind = {".symtab": 2, ".strtab": 3}.get(name, 1)
        headers.append((name, kind, 0, 0, data, len(data)))
    names, offsets = b"\0", []
    if tails:
        names += b"s" * (1 << 20) + b"\0"
        headers += [("", 1, 0, 0, b"", 0)] * tails
    headers.append((".shstrtab", 3, 0, 0, None, 0))
    for header in headers:
        offsets.append(len(names))
        names += header[0].encode() + b"\0"
    for i in range(tails):
        offsets[i - tails - 1] = 1 + i
    body, table, at = [], [b"\0" * 64], 64
    for (name, kind, flags, address, data, size), offset in zip(headers, offsets):
        if data is None:
            data, size = names, len(names)
        link = 0
        if kind == 2:
            link = 1 + [h[0] for h in headers].index(".strtab")
        table.append(
            struct.pack("<IIQQQQIIQQ", offset, kind, flags, address, at, size,
                        link, kind == 2, 1, 24 if kind == 2 else 0))
        body.append(data)
        at += len(data)
    ident = b"\x7fELF\2\1\1" + b"\0" * 9
    head = ident + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, CODE, 0, at, 0, 64,
                               56, 0, 64, len(table), len(table) - 1)
    return head + b"".join(body) + b"".join(table)


# DWARF tags, attributes and forms.
UNIT, SUBPROGRAM, INLINED, NAMESPACE, VARIABLE = 0x11, 0x2E, 0x1D, 0x39, 0x34
NAME, LINES, LOW, HIGH, LANGUAGE, RANGES = 0x3, 0x10, 0x11, 0x12, 0x13, 0x55
ADDR, STRING, DATA1, STRP, UDATA, OFFSET, PRESENT = 0x1, 0x8, 0xB, 0xE, 0xF, 0x17, 0x19


def abbreviation(code, tag, children, attributes=()):
    return (uleb(code) + uleb(tag) + bytes([children]) +
            b"".join(uleb(a) + uleb(f) for a, f in attributes) + b"\0\0")


# Codes 1 to 8 and 10 of the table that all units except those of "abbreviations" use.
ABBREVIATIONS = b"".join([
    abbreviation(1, UNIT, 1, [(LANGUAGE, DATA1)]),
    abbreviation(2, UNIT, 1, [(LINES, OFFSET), (LOW, ADDR), (HIGH, UDATA)]),
    abbreviation(3, SUBPROGRAM, 0, [(NAME, STRING), (LOW, ADDR), (HIGH, UDATA)]),
    abbreviation(4, SUBPROGRAM, 1, [(NAME, STRING), (RANGES, OFFSET)]),
    abbreviation(5, INLINED, 1, [(NAME, STRING), (RANGES, OFFSET)]),
    abbreviation(6, NAMESPACE, 1, [(NAME, STRP)]),
    abbreviation(7, SUBPROGRAM, 1, [(NAME, STRING), (LOW, ADDR), (HIGH, UDATA)]),
    abbreviation(8, INLINED, 1, [(LOW, ADDR), (HIGH, UDATA)]),
    abbreviation(10, SUBPROGRAM, 0, [(NAME, STRP), (LOW, ADDR), (HIGH, UDATA)]),
    b"\0",
])


def unit(dies, abbreviations=0):
    body = struct.pack("<HBBI", 5, 1, 8, abbreviations) + dies
    return struct.pack("<I", len(body)) + body


# The root DIE of a C++ unit, whose names have scopes.
ROOT = uleb(1) + b"\4"


def with_lines(start, size):
    """The root DIE of a unit with the line table at offset 0."""
    return uleb(2) + struct.pack("<IQ", 0, start) + uleb(size)


def function(name, start, size, code=3):
    return uleb(code) + name.encode() + b"\0" + struct.pack("<Q", start) + uleb(size)


def in_ranges(code, name):
    """A DIE whose ranges are the list after the header of .debug_rnglists."""
    return uleb(code) + name.encode() + b"\0" + struct.pack("<I", 12)


def range_list(count):
    pairs = b"".join(b"\4" + uleb(i * 16) + uleb(i * 16 + 8) for i in range(count))
    body = (struct.pack("<HBBI", 5, 8, 0, 0) + b"\5" + struct.pack("<Q", CODE) +
            pairs + b"\0")
    return struct.pack("<I", len(body)) + body


def line_table(files, program, directories=()):
    header = bytes([1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    header += b"".join(d + b"\0" for d in directories) + b"\0"
    header += b"".join(name + b"\0" + uleb(d) + b"\0\0" for name, d in files) + b"\0"
    program = b"\0\x09\2" + struct.pack("<Q", CODE) + program + b"\2\2\0\1\1"
    body = struct.pack("<HI", 4, len(header)) + header + program
    return struct.pack("<I", len(body)) + body


def symbols(entries, strings):
    return {
        ".strtab": strings,
        ".symtab": b"\0" * 24 + b"".join(
            struct.pack("<IBBHQQ", name, 0x12, 0, 1, start, size)
            for name, start, size in entries),
    }


def bomb(kind, n):
    """The units for KIND, and the other sections."""
    sections = {}
    table = line_table([(b"a.c", 0)], b"\x14\x21" * (n * 5))
    if kind == "ranges":
        sections[".debug_rnglists"] = range_list(n)
        dies = b"".join(in_ranges(4, f"f{i}") + b"\0" for i in range(n))
        units = unit(ROOT + dies + b"\0")
    elif kind == "nested-ranges":
        sections[".debug_rnglists"] = range_list(n)
        units = unit(ROOT + in_ranges(4, "f") + in_ranges(5, "i") * n +
                     b"\0" * (n + 2))
    elif kind == "overlap":
        sections[".debug_line"] = table
        dies = b"".join(function(f"f{i}", CODE + i, 1 << 20) for i in range(n))
        units = unit(with_lines(CODE, 1 << 20) + dies + b"\0")
    elif kind == "lines":
        sections[".debug_line"] = table
        units = b"".join(
            unit(with_lines(CODE + 8 * i, 8) +
                 function(f"f{i}", CODE + 8 * i, 8) + b"\0") for i in range(n))
    elif kind == "abbreviations":
        one = abbreviation(9, VARIABLE, 0)
        sections[".debug_abbrev"] = (ABBREVIATIONS + one * (n * 5) +
                                     abbreviation(1, UNIT, 1) + b"\0")
        units = b"".join(
            unit(uleb(1) + b"\0", len(ABBREVIATIONS) + i * len(one))
            for i in range(n))
    elif kind == "scope":
        sections[".debug_str"] = b"n" * (1 << 20) + b"\0"
        dies = b"".join(function(f"f{i}", CODE + 16 * i, 8) for i in range(n))
        units = unit(ROOT + uleb(6) + struct.pack("<I", 0) + dies + b"\0\0")
    elif kind == "directory":
        program = b"".join(b"\4" + uleb(i + 1) + b"\x14\x21" for i in range(n))
        sections[".debug_line"] = line_table(
            [(b"%d.c" % i, 1) for i in range(n)], program, [b"/" + b"d" * (1 << 20)])
        dies = b"".join(function(f"f{i}", CODE + 2 * i, 2) for i in range(n))
        units = unit(with_lines(CODE, 1 << 20) + dies + b"\0")
    elif kind == "path":
        sections[".debug_line"] = line_table([(b"p" * 30000, 0)],
                                             b"\x14\x21" * (n * 5))
        units = unit(with_lines(CODE, 1 << 20) + function("f", CODE, 1 << 20) +
                     b"\0")
    elif kind == "rows":
        sections[".debug_line"] = line_table([(b"a.c", 0)],
                                             b"\5\1\x14\5\2\x21" * (n * 5))
        units = unit(with_lines(CODE, 1 << 20) + function("f", CODE, 1 << 20) +
                     b"\0")
    elif kind in ("names", "packed-names"):
        roots = [ROOT] * n
        if kind == "packed-names":
            sections[".debug_ranges"] = bytes(8 << 20)
            sections[".debug_line"] = table
            roots[0] = with_lines(CODE, 8)
        sections[".debug_str"] = b"n" * (1 << 20) + b"\0"
        units = b"".join(
            unit(roots[i] + uleb(10) + struct.pack("<IQ", 7 * i, CODE + 16 * i) +
                 uleb(8) + b"\0") for i in range(n))
    elif kind in ("symbols", "mangled"):
        text = b"ss" if kind == "symbols" else b"_Z"
        entries = [(1 + 2 * i, CODE + 16 * i, 8) for i in range(n)]
        sections.update(symbols(entries, b"\0" + text * (1 << 19) + b"\0"))
        units = b""
    elif kind == "pieces":
        depth = 999
        call = uleb(8) + struct.pack("<Q", CODE) + uleb(1 << 20)
        others = b"".join(
            function(f"f{i}", CODE + 16 + 32 * i, 4) for i in range(n))
        units = unit(ROOT + function("f", CODE, 1 << 20, 7) + call * depth +
                     b"\0" * (depth + 1) + others + b"\0")
    elif kind in ("files-last", "files-first"):
        program = b"".join(b"\4" + uleb(i % n + 1) + b"\x14" for i in range(n * 5))
        sections[".debug_line"] = line_table([(b"%d.c" % i, 0) for i in range(n)],
                                             program)
        dies = b"".join(function(f"f{i}", CODE + 0x80000 + 2 * i, 2) for i in range(n))
        units = [unit(ROOT + dies + b"\0"),
                 unit(with_lines(CODE, 1 << 16) + function("g", CODE, 1 << 16) + b"\0")]
        units = b"".join(units if kind == "files-last" else reversed(units))
    elif kind == "row-pieces":
        sections[".debug_line"] = table
        others = b"".join(
            function(f"f{i}", CODE + 1 + 5 * i, 2) for i in range(n))
        units = unit(with_lines(CODE, 1 << 20) + function("f", CODE, 1 << 20) +
                     others + b"\0")
    elif kind == "flags":
        flags = [(0x2100 + i % 7000, PRESENT) for i in range(n)]
        sections[".debug_abbrev"] = (ABBREVIATIONS[:-1] +
                                     abbreviation(9, VARIABLE, 0, flags) + b"\0")
        units = unit(ROOT + function("f", CODE, 8, 7) + uleb(9) * n + b"\0\0")
    elif kind == "sections":
        units = b""
    else:
        sys.exit(f"no kind {kind}")
    return units, sections


def main():
    kind, n, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    units, sections = bomb(kind, n)
    sections.setdefault(".debug_abbrev", ABBREVIATIONS)
    before = unit(ROOT + function("before", HARMLESS, 16) + b"\0")
    after = unit(ROOT + function("after", HARMLESS + 16, 16) + b"\0")
    sections[".debug_info"] = before + units + after
    with open(path, "wb") as file:
        file.write(elf(sections, tails=n if kind == "sections" else 0))


main()
