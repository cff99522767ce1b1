#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare unwind rows with the compact unwind table of Mach-O files.

    utils/agreement/compare-compact-tables.py [--llvm-lidia PROGRAM] BINARY...

Makes an archive of each file, and reads the encodings that `llvm-objdump --macho
--unwind-info` prints for all functions. The resulting CFA and locations of saved
registers must be those of the archive's row. A function whose encoding refers to call
frame information must have rows that are valid everywhere. Prints a line for each
binary. The exit status is 1 if a function differs or has no row.
"""

import argparse
import bisect
import importlib.util
import itertools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location(
    "rows", os.path.join(HERE, "compare-unwind-rows.py")
)
ROWS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(ROWS)

X64_SAVED = ("rbx", "r12", "r13", "r14", "r15", "rbp")
ARM64_PAIRS = [(bit, f"x{19 + 2 * bit}", f"x{20 + 2 * bit}") for bit in range(5)] + [
    (8 + bit, f"r{72 + 2 * bit}", f"r{73 + 2 * bit}") for bit in range(4)
]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def functions(objdump, binary):
    """The offset and encoding of each function, and the end of the last one."""
    found, end = [], None
    for line in output(objdump, "--macho", "--unwind-info", binary).splitlines():
        last = re.search(r"function offset=(0x\w+), 2nd level page offset=0x0+,", line)
        entry = re.search(r"function offset=(0x\w+), encoding.*=(0x\w+)$", line)
        if last:
            end = int(last[1], 16)
        elif entry:
            found.append((int(entry[1], 16), int(entry[2], 16)))
    return found, end


def header(objdump, binary):
    """Whether BINARY is for ARM64, and the address of __TEXT."""
    text = output(objdump, "--macho", "--private-headers", "--non-verbose", binary)
    segment = re.search(r"segname __TEXT\n\s+vmaddr (0x\w+)", text)
    return "cputype 16777228" in text or " 16777228 " in text, int(segment[1], 16)


def x64(encoding, offset, data):
    """The rules for ENCODING, of the function at OFFSET in the file DATA."""
    mode = encoding >> 24 & 15
    rules = {ROWS.NAMES.get("rip", "rip"): "[CFA-8]"}
    if mode == 1:
        rules.update({"CFA": "rbp+16", "rbp": "[CFA-16]"})
        first = -16 - 8 * (encoding >> 16 & 255)
        for place in range(5):
            if register := encoding >> 3 * place & 7:
                rules[X64_SAVED[register - 1]] = f"[CFA{first + 8 * place}]"
        return rules
    size = encoding >> 16 & 255
    if mode == 2:
        size *= 8
    else:
        size = int.from_bytes(data[offset + size:offset + size + 4], "little")
        size += 8 * (encoding >> 13 & 7)
    count = encoding >> 10 & 7
    orders = itertools.permutations(X64_SAVED, count)
    saved = next(itertools.islice(orders, encoding & 0x3FF, None))
    for place, register in enumerate(saved):
        rules[register] = f"[CFA{-8 * (count + 1 - place)}]"
    rules["CFA"] = f"rsp+{size}"
    return rules


def arm64(encoding, _offset, _data):
    at, rules = 0, {}
    if encoding >> 24 & 15 == 4:
        rules = {"CFA": "x29+16", "x29": "[CFA-16]", "x30": "[CFA-8]"}
        at = -16
    else:
        size = (encoding >> 12 & 0xFFF) * 16
        rules = {"CFA": f"sp+{size}" if size else "sp"}
    for bit, first, second in ARM64_PAIRS:
        if encoding >> bit & 1:
            rules[first], rules[second] = f"[CFA{at - 8}]", f"[CFA{at - 16}]"
            at -= 16
    return rules


def compare(options, binary):
    with tempfile.TemporaryDirectory() as folder:
        ours = ROWS.archive_rows(options.llvm_lidia, binary, folder)
    with open(binary, "rb") as file:
        data = file.read()
    is_arm64, base = header(options.objdump, binary)
    starts = [row[0] for row in ours]
    found, end = functions(options.objdump, binary)
    equal = frames = without = 0
    for (offset, encoding), following in zip(found, found[1:] + [(end, 0)]):
        if encoding == 0:
            without += 1
            continue
        at = bisect.bisect_right(starts, base + offset) - 1
        row = ours[at] if at >= 0 and base + offset < ours[at][1] else (0, 0, "no row")
        if encoding >> 24 & 15 == (3 if is_arm64 else 4):
            good = row[1] and "at calls" not in row[2]
            frames += bool(good)
            expected = "call frame information"
        else:
            expected = (arm64 if is_arm64 else x64)(encoding, offset, data)
            good = (ROWS.archive_rules(row[2]) == expected
                    and row[1] >= base + following[0])
            equal += good
        if not good:
            print(f"  {base + offset:#x}: {encoding:#x} is {expected}, but {row[2]}")
    print(
        f"{binary}: {len(found)} functions, {equal} equal, {frames} with call frame "
        f"information, {without} without rules"
    )
    return found and equal + frames + without == len(found)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--objdump", default="llvm-objdump-19")
    parser.add_argument("binaries", nargs="+")
    options = parser.parse_args()
    results = [compare(options, binary) for binary in options.binaries]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
