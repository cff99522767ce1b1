#!/usr/bin/env python3
"""Prints addresses of the functions of a binary, one on each line, and lines that are
not addresses: addresses.py BINARY

Omits functions whose debug information has no linkage name, because binutils names them
as the symbol table does (f.constprop.0)."""

import subprocess
import sys

symbols = subprocess.run(["llvm-nm", "--print-size", "--defined-only", sys.argv[1]],
                         capture_output=True, check=True, text=True).stdout
for number, fields in enumerate(map(str.split, symbols.splitlines())):
    if len(fields) == 4 and fields[2] in "tTwW" and "." not in fields[3] and \
            not fields[3].startswith("_GLOBAL_"):
        start, size = int(fields[0], 16), int(fields[1], 16)
        for offset in range(0, size, 5):
            print(("%x", "0x%x", "  %016X", "0X%x zzz")[(number + offset) % 4] % (start + offset))
        if size > 3:
            print(fields[3], fields[3] + "+2", fields[3] + " + 0x3", sep="\n")
print(",", "", "zzz", "-1", "-2", "0x", "fffffffffffffffff", "0x0x40", "+", "?", sep="\n")
