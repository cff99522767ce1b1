#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare unwind rows with Arm's exception tables as readelf prints them.

    utils/agreement/compare-arm-tables.py [--llvm-lidia PROGRAM] BINARY...

Makes an archive of each binary, and runs the instructions that `readelf -u` prints for
each entry of .ARM.exidx. The resulting CFA and locations of saved registers must be
those of the archive's row at the function. A function that "cantunwind" must have no
row, except the one with the program's entry point. If the binary has .debug_frame, that
is used instead. readelf prints no instructions for entries with a personality routine
that it does not know. Prints a line for each binary. The exit status is 1 if a row
differs or is missing.
"""

import argparse
import bisect
import importlib.util
import os
import re
import subprocess
import sys
import tempfile


def rows_module():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare-unwind-rows.py")
    spec = importlib.util.spec_from_file_location("rows", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ROWS = rows_module()
NAMES = {13: "sp", 14: "lr", 15: "pc"}


def readelf_entries(readelf, binary):
    """The address and the instructions of each entry; None if an entry has no
    instructions."""
    text = subprocess.run(
        [readelf, "-u", binary], capture_output=True, text=True, errors="replace"
    ).stdout
    entries = []
    for line in text.splitlines():
        head = re.match(r"(0x[0-9a-f]+)(?: <[^>]*>)?: (\S+)( \[cantunwind\])?", line)
        if head:
            entries.append((int(head[1], 16), None if head[3] else []))
        elif entries and line.startswith("  Personality routine"):
            entries[-1] = (entries[-1][0], "generic")
        elif entries and re.match(r"  0x[0-9a-f]{2} ", line):
            # The bytes precede the text. For some routines, readelf prints
            # instructions.
            if entries[-1][1] == "generic":
                entries[-1] = (entries[-1][0], [])
            entries[-1][1].append(re.sub(r"^  (0x[0-9a-f]{2} )+\s*", "", line))
    return entries


def registers(text):
    """The names of the registers in "{r4, D8-D9}", in order."""
    names = []
    for part in re.findall(r"[^{}, ]+", text):
        first, _, last = part.partition("-")
        if not last:
            names.append(first)
            continue
        kind = re.match(r"\D+", first)[0]
        for number in range(int(first[len(kind):]), int(last[len(kind):]) + 1):
            names.append(kind + str(number))
    return names


def name_of(register):
    """The name in the archive for readelf's "r13" or "D8"."""
    kind, number = re.match(r"(\D+)(\d+)", register).groups()
    number = int(number)
    if kind == "r":
        return NAMES.get(number, register)
    return "r" + str({"D": 256, "wR": 112, "wCGR": 104}[kind] + number)


def run(instructions):
    """The rules that result from the instructions, by register. None if they are
    reserved."""
    base, offset, loaded, saved = "sp", 0, False, {}
    for text in instructions:
        if text == "finish":
            break
        move = re.match(r"vsp = vsp ([+-]) (\d+)$", text)
        pop = re.match(r"pop (\{.*\})$", text)
        source = re.match(r"vsp = r(\d+)$", text)
        if move:
            offset += int(move[1] + move[2])
        elif source:
            base, offset = NAMES.get(int(source[1]), "r" + source[1]), 0
        elif pop and "ra_auth_code" not in text:
            for register in registers(pop[1]):
                saved[name_of(register)] = (base, offset)
                offset += 4 if register[0] == "r" or register.startswith("wCGR") else 8
            if "sp" in saved:
                base, offset = saved.pop("sp")
                loaded = True
        else:
            return None
    rules = {}

    def add(text, amount):
        return text + (f"{amount:+d}" if amount else "")

    rules["CFA"] = f"[{add(base, offset)}]" if loaded else add(base, offset)
    for name, (register, at) in saved.items():
        if not loaded and register == base:
            rules[name] = f"[{add('CFA', at - offset)}]"
        else:
            rules[name] = f"[{add(register, at)}]"
    return rules


def compare(options, binary):
    with tempfile.TemporaryDirectory() as folder:
        rows = ROWS.archive_rows(options.llvm_lidia, binary, folder)
    starts = [row[0] for row in rows]
    total = equal = without = generic = refused = others = 0
    for address, instructions in readelf_entries(options.readelf, binary):
        at = bisect.bisect_right(starts, address) - 1
        row = rows[at][2] if at >= 0 and address < rows[at][1] else None
        if row is not None and not row.endswith(" at calls"):
            others += 1
            continue
        if instructions is None:
            without += 1
            if row is not None and "lr=undefined" not in row:
                print(f"  {address:#x}: cantunwind, but {row}")
                total += 1
            continue
        if instructions == "generic":
            generic += 1
            continue
        theirs = run(instructions)
        if theirs is None:
            refused += 1
            print(f"  {address:#x}: not understood: {instructions}; {row}")
            continue
        total += 1
        ours = ROWS.archive_rules(row) if row is not None else None
        if ours == theirs:
            equal += 1
        elif options.verbose:
            print(f"  {address:#x}: {theirs}, but {row}")
    print(
        f"{binary}: {total} functions, {equal} equal, {without} cantunwind, "
        f"{generic} generic, {others} with other rows, {refused} not understood"
    )
    return total == equal and not refused and total > 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--readelf", default="arm-linux-gnueabihf-readelf")
    parser.add_argument("--verbose", action="store_true", help="print what differs")
    parser.add_argument("binaries", nargs="+")
    options = parser.parse_args()
    results = [compare(options, binary) for binary in options.binaries]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
