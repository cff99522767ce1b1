#!/usr/bin/env python3
"""Prints lines of input for symbolizers: queries.py FOLDER [--no-data]. The folder has
the binaries "a" and "with space/b", and a text file "text". --no-data omits questions
about data.

Addresses are those of functions: in the padding between them, llvm-symbolizer returns a
line without a function, and an archive returns nothing."""

import subprocess
import sys

folder = sys.argv[1]
a, b, text = folder + "/a", folder + "/with space/b", folder + "/text"
for path, quoted in [(a, a), (b, '"%s"' % b)]:
    symbols = subprocess.run(["llvm-nm", "--print-size", "--defined-only", path],
                             capture_output=True, check=True, text=True).stdout
    for fields in map(str.split, symbols.splitlines()):
        if len(fields) == 4 and fields[2] in "tTwW":
            start, size = int(fields[0], 16), int(fields[1], 16)
            for offset in range(0, size, 7):
                print("%s %#x" % (quoted, start + offset))
lines = [
    "CODE A 0x200185", "DATA A 0x201244", "DATA A 0x1", "FRAME A 0x200180", "",
    # Other forms of numbers, and text after a number.
    "A 2097537", "A 0b11", "A 0o7", "A 0x200185 ignored", "A   0x200185  ", "  A 0x200185",
    "A 010", "A -1", "A 0x", "A 0xg", "A 12z", "A +5", "A 0X200185",
    "A 99999999999999999999999",
    # Names of functions.
    "A chain", "A twice+1", "A twice+0x5", "A twice+x", "A nothing", "A Sink", "A +",
    # Kinds of modules and quotes.
    "FILE:A 0x200185", "FILE: A 0x200185", "FILE:'B' 0x200210", "'B' 0x200210",
    "FILE:FILE:A 1", "FILE:BUILDID:ab 1", "FILE:", "BUILDID:", "BUILDID:zz 1", "BUILDID:abc 1",
    "BUILDID:1234 0x10", "'A 1", '"A 1', "'' 1", "FILE:'A 1", "A", "'A'", "CODE", "CODE ",
    "DATA A", "CODE CODE 1", "DATA FILE:A 0x201244", "'A'0x200185", "A' 1",
    # Modules that are not binaries.
    "NONE 0x1", "DATA NONE 0x1", "FRAME NONE 0x1", "NONE main", "FOLDER 0x1", "TEXT 0x1",
    "DATA TEXT 0x1", "A:x86_64 0x1", "/dev/null/x 1",
    "garbage", "x y z",
]
for line in lines:
    for word, path in [("FOLDER", folder), ("TEXT", text), ("NONE", folder + "/none"),
                       ("A:", a + ":")]:
        line = line.replace(word, path) if word != "A:" else line
    line = line.replace("'B'", "'%s'" % b)
    if line.startswith(("A ", "A\t", "A:")) or line == "A":
        line = a + line[1:]
    for before in ("CODE ", "DATA ", "FRAME ", "FILE:", "FILE: ", "FILE:FILE:", "DATA FILE:",
                   "'", '"', "FILE:'", "  "):
        if line.startswith(before + "A"):
            line = before + a + line[len(before) + 1:]
            break
    if "DATA" not in line or "--no-data" not in sys.argv:
        print(line)
