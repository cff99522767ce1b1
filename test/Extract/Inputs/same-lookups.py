"""same-lookups.py INPUTS OUT: compares the answers of several archives of one binary."""

import os
import struct
import subprocess
import sys

inputs, out = sys.argv[1:]
# Only binaries without functions that have rows of several files, which version 1
# cannot express.
names = [
    "inline-gcc-O2-dwarf5.elf",
    "scopes-clang-O2.elf",
    "cold-gcc-dwarf5.elf",
    "lto-gcc.elf",
    "mixed.elf",
    "line0.elf",
    "kernel-high.elf",
    "asm-nodebug.elf",
    "mips-clang.elf",
]


def lookup(archive, addresses):
    command = ["llvm-lidia", "lookup", "-a", archive]
    return subprocess.run(command, input=addresses, check=True, capture_output=True).stdout


def code(binary):
    """Each address in .text, and a few around it."""
    command = ["llvm-readelf", "--sections", "--wide", binary]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 6 and fields[1] == ".text":
            start, size = int(fields[3], 16), int(fields[5], 16)
            return range(start - 4, start + size + 4)
    raise AssertionError("no .text in " + binary)


def line_tables_end(archive):
    """The end of the line tables, from the header: rows of two fields."""
    with open(archive, "rb") as f:
        field_size, count, offset = struct.unpack_from("<QQQ", f.read(128), 0x60)
    return offset + count * 2 * field_size


for name in names:
    binary = os.path.join(inputs, name)
    addresses = "".join(f"{a:#x}\n" for a in code(binary)).encode()
    answers = {}
    for options in ([], ["--strings=nul"], ["--no-extension"], ["--strings=nul", "--no-extension"]):
        subprocess.run(["llvm-lidia", "--crc", "--lines", "-o", out, binary] + options, check=True)
        subprocess.run(["llvm-lidia", "verify", "--crc", "-q", out], check=True)
        answers[" ".join(options)] = lookup(out, addresses)
        nothing_after = os.path.getsize(out) == line_tables_end(out)
        assert nothing_after == ("--no-extension" in options), (name, options)
    assert answers[""].count(b"0x") == len(code(binary)), name
    for options, answer in answers.items():
        assert answer == answers[""], (name, options)
