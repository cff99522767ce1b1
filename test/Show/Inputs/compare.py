"""Compares the output of `llvm-lidia show` for a file with that of LLVM's tools: rows
of line tables, entries of functions with their names, and symbols of functions.

Usage: compare.py <file>"""

import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


def compare(what, ours, theirs):
    assert theirs, f"{what}: nothing to compare"
    only_ours, only_theirs = ours - theirs, theirs - ours
    assert not only_ours and not only_theirs, (
        what, sorted(only_ours)[:5], sorted(only_theirs)[:5])
    print(f"{what}: {len(ours)} the same")


def our_rows(file):
    for line in output("llvm-lidia", "show", "lines", "-q", file).splitlines():
        row = re.match(r"  0x([0-9a-f]+) .*?:(\d+)(?::(\d+))?((?: \w+)*)$", line)
        if row:
            flags = row[4].split()
            yield (int(row[1], 16), int(row[2]), int(row[3] or 0), "is_stmt" in flags,
                   "prologue_end" in flags)


def their_rows(file):
    """The rows, without sequences that have no code or end before they begin."""
    sequence = []
    for line in output("llvm-dwarfdump", "--debug-line", file).splitlines():
        row = re.match(r"0x([0-9a-f]+) +(\d+) +(\d+) +\d+ +\d+ +\d+ +(?:\d+ +)?(.*)$", line)
        if not row:
            continue
        address, flags = int(row[1], 16), row[4].split()
        if "end_sequence" not in flags:
            sequence.append((address, int(row[2]), int(row[3]), "is_stmt" in flags,
                             "prologue_end" in flags))
            continue
        if sequence and sequence[0][0] < address:
            yield from sequence
        sequence = []


def our_functions(file):
    for line in output("llvm-lidia", "show", "functions", "-q", file).splitlines():
        function = re.match(r"  0x([0-9a-f]+)\.\.0x([0-9a-f]+)", line)
        if function:
            yield int(function[1], 16)


def their_functions(file):
    """The first addresses of subprograms with code."""
    start = None
    for line in output("llvm-dwarfdump", "--debug-info", file).splitlines():
        tag = re.search(r"DW_TAG_(\w+)", line)
        if tag and line.startswith("0x"):
            start = tag[1] == "subprogram"
        low = re.search(r"DW_AT_low_pc\s+\(0x([0-9a-f]+)\)", line)
        if start and low:
            yield int(low[1], 16)
            start = False
        ranges = re.match(r"\s+\[0x([0-9a-f]+), 0x([0-9a-f]+)\)", line)
        if start and ranges:
            yield int(ranges[1], 16)
            start = False


def our_symbols(file):
    table = ""
    for line in output("llvm-lidia", "show", "symbols", "-q", file).splitlines():
        if not line.startswith(" "):
            table = line
        symbol = re.match(r"  0x([0-9a-f]+) (\d+) \w+ function (\S+)", line)
        if symbol and table.startswith("Symbols"):
            yield int(symbol[1], 16), int(symbol[2]), symbol[3].split("@")[0]


def their_symbols(file):
    for line in output("llvm-readelf", "--symbols", "-W", file).splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[3] in ("FUNC", "IFUNC", "GNU_IFUNC") \
                and fields[6] != "UND":
            yield int(fields[1], 16), int(fields[2], 0), fields[7].split("@")[0]


file = sys.argv[1]
compare("rows", set(our_rows(file)), set(their_rows(file)))
compare("functions", set(our_functions(file)), set(their_functions(file)))
compare("symbols", set(our_symbols(file)), set(their_symbols(file)))
