#!/usr/bin/env python3
"""Prints stacks as functions and lines, one on each line, with an empty line after each
thread, from the output of gdb's bt or of llvm-lidia stack.

usage: stacks.py gdb|lidia FILE

A stack ends with main or start.
"""

import re
import sys

PATTERNS = {
    "gdb": r"#\d+ +(?:0x[0-9a-f]+ in )?(\S+) \(.*\) at .*:(\d+)$",
    "lidia": r"#\d+ +0x[0-9a-f]+ in (\S+) .*:(\d+):\d+ (?:\[inlined\] )?\(",
}
THREADS = {"gdb": r"Thread \d+ \(", "lidia": r"Thread \d+"}

pattern, thread = PATTERNS[sys.argv[1]], THREADS[sys.argv[1]]
stacks, ended = [], True
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        if re.match(thread, line):
            stacks.append([])
            ended = False
        elif not ended and (found := re.match(pattern, line.rstrip())):
            stacks[-1].append(f"{found[1]} {found[2]}")
            ended = found[1] in ("main", "start")
print("\n\n".join("\n".join(stack) for stack in sorted(stacks)))
