"""Writes an ELF file with Go's tables in one of their layouts.

usage: make-program.py LAYOUT OUTPUT [--bits=32] [--big-endian] [--pie]
                       [--section-name=NAME] [--no-sections] [--two-texts]
                       [--break=WHAT]

Compilers for most of the layouts are not available any more, so this script contains
the layouts itself. In every layout, the program is this one, from 0x10000 on:

    0x00  main.outer   main.go:10
    0x08               main.go:11
    0x10               util.go:5    util.middle, called at main.go:11
    0x18               util.go:9    util.inner, called at util.go:5
    0x28               main.go:12
    0x40  (padding)
    0x48  main.next    main.go:20
    0x60  end

With --two-texts, the linker has placed main.next at 0x11000.

LAYOUT is the first version of Go with the layout: go1.2, go1.9 (the first inlined
calls), go1.12, go1.14, go1.16, go1.18, go1.20 or go1.26.
"""

import argparse
import struct

LAYOUTS = ["go1.2", "go1.9", "go1.12", "go1.14", "go1.16", "go1.18", "go1.20",
           "go1.26"]
BASE = 0x10000
TEXT_SIZE = 0x60
FILES = [b"/src/main.go", b"/src/util.go"]
MAIN, UTIL = 0, 1
NAMES = [b"main.outer", b"main.next", b"util.middle", b"util.inner"]

# (end, value) for each run of code; calls are indices into CALLS, or -1.
FUNCTIONS = [
    dict(name=0, start=0x00, next=0x48,
         stack=[(0x08, 0), (0x40, 16)],
         files=[(0x10, MAIN), (0x28, UTIL), (0x40, MAIN)],
         lines=[(0x08, 10), (0x10, 11), (0x18, 5), (0x28, 9), (0x40, 12)],
         calls=[(0x10, -1), (0x18, 0), (0x28, 1), (0x40, -1)]),
    dict(name=1, start=0x48, next=TEXT_SIZE, stack=[(0x18, 0)],
         files=[(0x18, MAIN)], lines=[(0x18, 20)], calls=[]),
]
# Parent, file and line of the call, name, and code with this position.
CALLS = [(-1, MAIN, 11, 2, 0x08), (0, UTIL, 5, 3, 0x10)]


class Writer:
    def __init__(self, options):
        self.since = LAYOUTS.index(options.layout)
        self.order = ">" if options.big_endian else "<"
        self.width = options.bits // 8
        self.pie = options.pie
        self.broken = options.broken
        self.two_texts = options.two_texts
        self.relocations = []

    def from_version(self, layout):
        return self.since >= LAYOUTS.index(layout)

    def u32(self, value):
        return struct.pack(self.order + "I", value & 0xffffffff)

    def number(self, value):
        """VALUE with the width of a pointer."""
        return struct.pack(self.order + ("Q" if self.width == 8 else "I"),
                           value)

    def pointer(self, at, value):
        """A pointer stored at the address AT."""
        if not self.pie:
            return self.number(value)
        self.relocations.append((at, value))
        return self.number(0)

    @staticmethod
    def varint(value):
        out = bytearray()
        while value >= 0x80:
            out.append(value & 0x7f | 0x80)
            value >>= 7
        out.append(value)
        return bytes(out)

    def values(self, runs, shift=0):
        """A table of values: changes and lengths, in units of code."""
        out, value, pc = b"", -1, 0
        for end, new in runs:
            new += shift if new >= 0 else 0
            change = new - value
            out += self.varint(change << 1 if change >= 0 else ~change << 1 | 1)
            length = 0 if self.broken == "standstill" else end - pc
            out += self.varint(length)
            value, pc = new, end
        return out + b"\0"

    def files_of(self, function):
        if self.broken != "file":
            return function["files"]
        greatest = 0x7fffffff if self.from_version("go1.16") else 0x7ffffffe
        return [(end, file if file == MAIN else greatest) for end, file in function["files"]]

    def value_tables(self, function):
        """The parts after the fixed part of a function's record."""
        calls = function["calls"]
        if not calls or not self.from_version("go1.9"):
            return []
        return [[]] * (2 if self.from_version("go1.14") else 1) + [calls]

    def data_index(self):
        if self.from_version("go1.16"):
            return 3
        return 4 if self.from_version("go1.14") else 2

    def tree(self):
        """The inlined calls, which are data of the function main.outer."""
        out = b""
        for parent, file, line, name, pc in CALLS:
            if self.broken == "circle":
                parent, pc = 0, 0x10
            if self.broken == "name":
                name_offset = 0xfffffff0
            else:
                name_offset = self.name_offsets[name]
            # Before Go 1.16, file 0 means none.
            file += 0 if self.from_version("go1.16") else 1
            if self.from_version("go1.20"):
                out += bytes(4) + b"".join(
                    self.u32(v) for v in (name_offset, pc, 1))
                continue
            if self.from_version("go1.12"):
                out += struct.pack(self.order + "hBB", parent, 0, 0)
            else:
                out += self.u32(parent)
            out += b"".join(self.u32(v) for v in (file, line, name_offset))
            if self.from_version("go1.12"):
                out += self.u32(pc)
        return out

    def record(self, function, at, offset_of, data):
        """The record of FUNCTION, which will be at the address AT.

        OFFSET_OF returns the offset of a table of values. DATA is the address of
        main.outer's inlined calls."""
        tables = self.value_tables(function)
        pieces = self.data_index() + 1 if tables else 0
        shift = 0 if self.from_version("go1.16") else 1
        fields = [self.name_offsets[function["name"]], 0, 0,
                  offset_of(self.values(function["stack"])),
                  offset_of(self.values(self.files_of(function), shift)),
                  offset_of(self.values(function["lines"])), len(tables)]
        if self.from_version("go1.16"):
            fields.append(0)  # the package's first file
        if self.from_version("go1.20"):
            fields.append(function["lines"][0][1])
        start = function["start"]
        if self.broken == "entry" and start:
            start += 4
        if self.from_version("go1.18"):
            out = self.u32(start)
        else:
            out = self.pointer(at, BASE + start)
        out += b"".join(self.u32(f) for f in fields)
        if self.from_version("go1.12"):
            out += bytes([0, 0, 0, pieces])
        else:
            out += self.u32(pieces)
        for table in tables:
            out += self.u32(offset_of(self.values(table)) if table else 0)
        if self.from_version("go1.18"):
            return out + self.u32(-1) * (pieces - 1) + (
                self.u32(0) if pieces else b"")
        out += bytes(-(at + len(out)) % self.width)
        for i in range(pieces):
            here = at + len(out)
            out += (self.pointer(here, data) if i == pieces - 1
                    else self.number(0))
        return out

    def functions(self, at, list_at, base, offset_of, data):
        """The list of functions, with offsets from BASE, and the records.

        The list is at LIST_AT, and the records are at AT."""
        items, records = b"", b""
        for f in FUNCTIONS:
            start = f["start"]
            where = at + len(records)
            if self.from_version("go1.18"):
                items += self.u32(start) + self.u32(where - base)
            else:
                items += self.pointer(list_at + len(items), BASE + start)
                items += self.number(where - base)
            records += self.record(f, where, offset_of, data)
            records += bytes(-len(records) % self.width)
        if self.from_version("go1.18"):
            items += self.u32(TEXT_SIZE)
        else:
            items += self.pointer(list_at + len(items), BASE + TEXT_SIZE)
        return items, records

    def strings(self, texts, start):
        offsets, out = [], b""
        for text in texts:
            offsets.append(start + len(out))
            out += text + b"\0"
        return offsets, out

    def pool(self, start):
        """Collects tables of values. The first offset is not zero."""
        data = bytearray(b"\0" * 4)

        def offset_of(table):
            data.extend(table)
            return start + len(data) - len(table)
        return data, offset_of

    def header(self, magic):
        return self.u32(magic) + bytes([0, 0, 1, self.width])

    def table_12(self, at, data):
        """Header, functions, files, records, values and strings in sequence. All
        offsets are relative to the header."""
        pool, offset_of = self.pool(0x400)
        self.name_offsets, names = self.strings(NAMES, 0x800)
        files, file_names = self.strings(FILES, 0xc00)
        start = 8 + self.width
        size = (len(FUNCTIONS) * 2 + 1) * self.width + 4
        files_at = start + size
        files_at += -files_at % self.width
        records_at = files_at + 16
        items, records = self.functions(at + records_at, at + start, at,
                                        offset_of, data)
        out = self.header(0xfffffffb) + self.number(len(FUNCTIONS))
        out += items + self.u32(files_at)
        out = out.ljust(files_at, b"\0")
        out += self.u32(len(FILES) + 1) + b"".join(self.u32(f) for f in files)
        out = out.ljust(records_at, b"\0") + records
        assert len(out) < 0x400
        out = out.ljust(0x400, b"\0") + bytes(pool)
        return out.ljust(0x800, b"\0") + names.ljust(0x400, b"\0") + file_names

    def table_116(self, at, data):
        """The header has the offsets of names, packages' files, file names, values and
        functions. Other offsets are relative to these."""
        magic = (0xfffffff1 if self.from_version("go1.20") else
                 0xfffffff0 if self.from_version("go1.18") else 0xfffffffa)
        pool, offset_of = self.pool(0)
        self.name_offsets, names = self.strings(NAMES, 0)
        files, file_names = self.strings(FILES, 0)
        parts = [0x80, 0x100, 0x180, 0x200, 0x300]
        list_at = at + parts[-1]
        size = (len(FUNCTIONS) * 2 + 1) * (
            4 if self.from_version("go1.18") else self.width)
        size += -size % self.width
        items, records = self.functions(list_at + size, list_at, list_at,
                                        offset_of, data)
        out = self.header(magic) + self.number(len(FUNCTIONS))
        out += self.number(len(FILES))
        if self.from_version("go1.26"):
            out += self.number(0)
        elif self.from_version("go1.18"):
            out += self.pointer(at + len(out), BASE)
        out += b"".join(self.number(p) for p in parts)
        units = b"".join(self.u32(f) for f in files)
        for start, part in zip(parts, (names, units, file_names, bytes(pool),
                                       items.ljust(size, b"\0") + records)):
            assert len(out) <= start
            out = out.ljust(start, b"\0") + part
        self.parts = parts
        return out

    def table(self, at, data):
        if not self.from_version("go1.16"):
            return self.table_12(at, data)
        return self.table_116(at, data)

    def module_data(self, at, table, data):
        """The fields of runtime.firstmoduledata that readers use."""
        if not self.from_version("go1.16"):
            return b""
        names, units, files, values, functions = (table + p for p in self.parts)
        words = [table]
        for start in (names, units, files, values, functions, functions):
            words += [start, 1, 1]
        words += [0, BASE, BASE + TEXT_SIZE, BASE, BASE + TEXT_SIZE]
        words += [0] * (40 - len(words) if self.from_version("go1.20")
                        else 38 - len(words))
        words.append(data)
        if self.from_version("go1.26"):
            words.append(table + 0x400)
        if self.two_texts:
            words += [at + 0x200, 2, 2]
        words += [0] * 12
        if self.two_texts:
            words += [0] * (0x200 // self.width - len(words))
            words += [0, 0x48, BASE, 0x48, TEXT_SIZE, BASE + 0x1000]
        return b"".join(self.pointer(at + i * self.width, w) if w > 0x100
                        else self.number(w) for i, w in enumerate(words))

    def dynamic(self, at, rela):
        entries = [(7, rela), (8, len(self.relocations) * 3 * self.width),
                   (9, 3 * self.width), (0, 0)]
        return b"".join(self.number(v) for entry in entries for v in entry)

    def rela(self):
        relative = 8  # R_X86_64_RELATIVE
        return b"".join(self.number(at) + self.number(relative) +
                        self.number(value) for at, value in self.relocations)


def elf(w, options, sections, dynamic):
    """An ELF file of SECTIONS (name, type, flags, address, bytes), with one segment for
    everything."""
    wide = w.width == 8
    header_size, program_size, section_size = (
        (64, 56, 64) if wide else (52, 32, 40))
    names = b"\0" + b"".join(s[0].encode() + b"\0" for s in sections)
    names += b".shstrtab\0"
    start = 0x1000
    body = b""
    headers = [(0, 0, 0, 0, 0, 0)]
    for name, kind, flags, address, data in sections:
        body = body.ljust(address - BASE, b"\0") + data
        headers.append((names.index(name.encode() + b"\0"), kind, flags,
                        address, start + address - BASE, len(data)))
    end = start + len(body)
    headers.append((names.index(b".shstrtab"), 3, 0, 0, end, len(names)))
    section_at = end + len(names)
    count = 0 if options.no_sections else len(headers)

    def program(kind, flags, address, size):
        offset = start + address - BASE
        if wide:
            return (w.u32(kind) + w.u32(flags) + b"".join(
                w.number(v) for v in (offset, address, address, size, size,
                                      0x1000)))
        return b"".join(w.u32(v) for v in (kind, offset, address, address,
                                           size, size, flags, 0x1000))

    programs = [program(1, 5, BASE, len(body))]
    if dynamic:
        programs.append(program(2, 6, *dynamic))
    machine = {"<8": 62, "<4": 3, ">8": 22, ">4": 8}[w.order + str(w.width)]
    out = b"\x7fELF" + bytes([2 if wide else 1, 2 if options.big_endian else 1,
                              1]) + bytes(9)
    out += struct.pack(w.order + "HH", 3 if options.pie else 2, machine)
    out += w.u32(1) + w.number(BASE) + w.number(header_size)
    out += w.number(section_at if count else 0) + w.u32(0)
    out += struct.pack(w.order + "6H", header_size, program_size,
                       len(programs), section_size, count,
                       count - 1 if count else 0)
    out += b"".join(programs)
    out = out.ljust(start, b"\0") + body
    if not count:
        return out
    out += names
    for name, kind, flags, address, offset, size in headers:
        fields = [w.u32(name), w.u32(kind), w.number(flags),
                  w.number(address), w.number(offset), w.number(size),
                  w.u32(0), w.u32(0), w.number(1), w.number(0)]
        out += b"".join(fields)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("layout", choices=LAYOUTS)
    parser.add_argument("output")
    parser.add_argument("--bits", type=int, choices=(32, 64), default=64)
    parser.add_argument("--big-endian", action="store_true")
    parser.add_argument("--pie", action="store_true")
    parser.add_argument("--no-sections", action="store_true")
    parser.add_argument("--two-texts", action="store_true")
    parser.add_argument("--section-name", default=".gopclntab")
    parser.add_argument("--break", dest="broken",
                        choices=("standstill", "circle", "name", "entry", "file"))
    options = parser.parse_args()

    w = Writer(options)
    data, table, module = BASE + 0x800, BASE + 0x1100, BASE + 0x3000
    table_bytes = w.table(table, data)
    sections = [
        (".text", 1, 6, BASE, bytes(TEXT_SIZE)),
        (".rodata", 1, 2, data, w.tree()),
        (".text", 1, 6, BASE + 0x1000, bytes(TEXT_SIZE)),
        (options.section_name, 1, 2, table, table_bytes),
        (".noptrdata", 1, 3, module, w.module_data(module, table, data)),
    ]
    dynamic = None
    if options.pie:
        rela = BASE + 0x4000
        entries = w.dynamic(rela + 0x800, rela)
        sections.append((".rela.dyn", 4, 2, rela, w.rela()))
        sections.append((".dynamic", 6, 3, rela + 0x800, entries))
        dynamic = (rela + 0x800, len(entries))
    with open(options.output, "wb") as f:
        f.write(elf(w, options, sections, dynamic))


if __name__ == "__main__":
    main()
