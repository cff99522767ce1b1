"""Compares the statements of an archive with the rows of llvm-dwarfdump.

    compare-statements.py BINARY ARCHIVE

Each function's statements must be the rows of .debug_line at its addresses, in the same
order, with columns and flags (but other_block, which comes from lexical blocks). If no row
begins at the function's start, the first statement repeats the preceding row.
"""

import re
import subprocess
import sys

FLAGS = ("is_stmt", "prologue_end", "epilogue_begin")
binary, archive = sys.argv[1:]


def lines_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


rows, sequence = [], []
for line in lines_of("llvm-dwarfdump", "--debug-line", binary):
    found = re.match(r"(0x[0-9a-f]{16}) +(\d+) +(\d+) +\d+ +\d+ +(?:\d+ +)?\d+ *(.*)", line)
    if found and "end_sequence" in found[4]:
        # Rows at the function's end have no code.
        rows += [row for row in sequence if row[0] < int(found[1], 16)]
        sequence = []
    elif found:
        flags = tuple(f for f in FLAGS if f in found[4].split())
        sequence.append((int(found[1], 16), int(found[2]), int(found[3]), flags))

functions = []
for line in lines_of("llvm-lidia", "dump", "--statements", archive):
    if found := re.match(r" +\[\d+\] (0x[0-9a-f]+)\.\.(0x[0-9a-f]+) depth (\d+)", line):
        if found[3] == "0":
            functions.append((int(found[1], 16), int(found[2], 16), []))
    elif found := re.match(r" +(0x[0-9a-f]+) (?:unknown|.*?:(\d+)(?::(\d+))?)((?: [a-z_]+)*)$", line):
        if found[2]:
            functions[-1][2].append((int(found[1], 16), int(found[2]), int(found[3] or 0),
                                     tuple(f for f in FLAGS if f in found[4].split())))

compared = 0
for start, end, ours in functions:
    theirs = [row for row in rows if start <= row[0] < end]
    if ours and (not theirs or theirs[0][0] != start):
        ours = ours[1:]
    if ours != theirs and ours:
        sys.exit("%s: function at %#x: %s, but llvm-dwarfdump has %s" % (binary, start, ours, theirs))
    compared += len(ours)
if not compared:
    sys.exit(binary + ": nothing to compare")
print("%d statements agree" % compared)
