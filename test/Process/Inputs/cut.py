#!/usr/bin/env python3
"""Runs a command on a file truncated to many sizes.

usage: cut.py FILE CUT -- COMMAND...

COMMAND reads the file CUT. Prints the exit statuses; a signal is negative.
"""

import subprocess
import sys

_, file, cut, _, *command = sys.argv
with open(file, "rb") as whole:
    data = whole.read()
statuses = set()
for size in sorted({*range(0, 900, 13), *range(900, len(data), 97), len(data) - 1}):
    with open(cut, "wb") as out:
        out.write(data[:size])
    statuses.add(subprocess.run(command, capture_output=True).returncode)
print("statuses:", *sorted(statuses))
