"""Prints every address in the functions for which a binary has symbols."""

import subprocess
import sys

symbols = subprocess.run(
    ["llvm-nm", "--defined-only", "--print-size", sys.argv[1]],
    check=True, capture_output=True, text=True,
).stdout
for line in symbols.splitlines():
    fields = line.split()
    if len(fields) == 4 and fields[2] in "tTwW":
        start, size = int(fields[0], 16), int(fields[1], 16)
        for address in range(start, start + min(size, 4096)):
            print(hex(address))
