#!/usr/bin/env python3
"""Truncates a zip file at many places. llvm-lidia must name it in its errors:
cut-zip.py ZIP ENTRY"""

import subprocess
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
for size in range(4, len(data), 199):
    with open("cut.apk", "wb") as file:
        file.write(data[:size])
    made = subprocess.run(["llvm-lidia", f"cut.apk!{sys.argv[2]}", "-o", "cut.lidia"],
                          stderr=subprocess.PIPE, text=True)
    if made.returncode != 1 or "error: cut.apk: a zip file" not in made.stderr:
        sys.exit(f"cut after {size} bytes: {made.returncode} {made.stderr}")
