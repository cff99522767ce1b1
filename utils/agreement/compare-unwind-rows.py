#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare unwind rows with those that readelf prints.

    utils/agreement/compare-unwind-rows.py [--llvm-lidia PROGRAM] [--exported] BINARY...
    utils/agreement/compare-unwind-rows.py --table BINARY...

Makes an archive of each binary and compares each row of `readelf -wF` (its .eh_frame
and .debug_frame, interpreted) with the archive's row at the same address: the CFA and
all registers. For an expression, readelf shows only that there is one. If .debug_frame
and .eh_frame have the same functions, .eh_frame is used. Prints a line for each binary.
The exit status is 1 if a row differs or is missing. With --exported, the archive is
exported, and readelf prints the rows of the exported file.

With --table, the archive is made from a copy of the binary, a PE file, without call
frame information, so that its rows are those of .pdata.
"""

import argparse
import bisect
import os
import re
import subprocess
import sys
import tempfile

# readelf's names of registers that have other names in gdb.
NAMES = {"rip": "ra", "eip": "ra"}
OBJCOPY = "x86_64-w64-mingw32-objcopy"
OBJDUMP = "x86_64-w64-mingw32-objdump"
ARM_NAMES = {"r13": "sp", "r14": "lr", "r15": "pc"}


def make_archive(llvm_lidia, binary, folder):
    archive = os.path.join(folder, "rows.lidia")
    subprocess.run(
        [llvm_lidia, "create", "--lines", "--quiet", binary, "-o", archive], check=True
    )
    return archive


def exported_rows(llvm_lidia, binary, folder):
    """The first address, the end, and the rules by register of each row."""
    archive = make_archive(llvm_lidia, binary, folder)
    debug = os.path.join(folder, "rows.debug")
    subprocess.run([llvm_lidia, "export", archive, "-o", debug], check=True)
    rows = sorted(readelf_rows(debug, with_common=True), key=lambda row: row[0])
    ends = [row[0] for row in rows[1:]] + [1 << 64]
    return [(row[0], min(row[2], end), row[3]) for row, end in zip(rows, ends)]


def archive_rows(llvm_lidia, binary, folder):
    archive = make_archive(llvm_lidia, binary, folder)
    dump = subprocess.run(
        [llvm_lidia, "dump", "--unwind", archive],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = []
    for line in dump.splitlines():
        row = re.match(r"  (0x[0-9a-f]+)\.\.(0x[0-9a-f]+) (.*)", line)
        if row:
            rows.append((int(row[1], 16), int(row[2], 16), row[3]))
    return rows


def archive_rules(text):
    """The rules in a line of dump, by register."""
    rules = {}
    for name, rule in re.findall(r"(\w+)=(\[[^\]]*\]|expression \w+|\S+)", text):
        rules[NAMES.get(name, name)] = rule
    return rules


def readelf_rows(binary, command=("readelf", "-wF"), with_common=False):
    """The address, the end of the function, the rules by register, and the section of
    each row. For a function that has only the rules of its CIE, readelf prints no row;
    WITH_COMMON adds one."""
    process = subprocess.Popen(
        [*command, binary],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
    )
    columns, end, section, rows, common, cie = None, None, "", [], {}, None
    for line in process.stdout:
        if line.startswith("Contents of the "):
            section = line.split()[3]
            continue
        head = re.match(r"\S+ \S+ \S+ FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
        if head:
            begin, end, columns = int(head[1], 16), int(head[2], 16), None
            parent = re.search(r" cie=([0-9a-f]+)", line)
            if with_common and parent and parent[1] in common:
                rows.append((begin, begin, end, common[parent[1]], section))
            continue
        cie_head = re.match(r"([0-9a-f]+) [0-9a-f]+ .*CIE", line)
        if cie_head:
            end, columns, cie = None, None, cie_head[1]
            continue
        words = line.split()
        if words[:2] == ["LOC", "CFA"]:
            columns = words[1:]
        elif end is None and cie and columns and len(words) == len(columns) + 1:
            common[cie] = dict(zip(columns, words[1:]))
        elif (
            end is not None
            and columns
            and len(words) == len(columns) + 1
            and words[1] != "ZERO"
        ):
            rules = dict(zip(columns, words[1:]))
            row = (int(words[0], 16), begin, end, rules, section)
            # A row that is immediately replaced covers no code.
            if rows and rows[-1][:3] == row[:3] and rows[-1][4] == section:
                rows.pop()
            rows.append(row)
    process.wait()
    return [row for row in rows if row[0] < row[2]]


def is_equal(theirs, ours):
    """Whether readelf's rule is equal to the archive's rule."""
    if theirs in ("exp", "vexp"):
        return ours is not None
    if theirs == "s":
        return ours in ("same", None)
    # readelf calls a register undefined before it is saved, and rows of .pdata say that
    # it is unchanged.
    if theirs == "u":
        return ours in ("undefined", "same", None)
    if theirs[0] in "cv" and theirs[1:2] in ("+", "-"):
        rule = "CFA" + ("" if theirs[1:] == "+0" else theirs[1:])
        return ours == ("[" + rule + "]" if theirs[0] == "c" else rule)
    theirs = re.sub(r"\+0$", "", theirs).replace("%", "")
    theirs = re.sub(r"^s0\b", "fp", theirs) if ours and "fp" in ours else theirs
    register = re.match(r"\w+", theirs)[0]
    arm = theirs.replace(register, ARM_NAMES.get(register, register), 1)
    return ours in (theirs, arm)


def differs_in_export(theirs, ours):
    """The registers whose rules differ in two lines from readelf."""
    wrong = []
    for name in {**theirs, **ours}:
        pair = theirs.get(name, "u"), ours.get(name, "u")
        # A rule that is a register plus an offset is exported as an expression.
        if pair[0] != pair[1] and not {*pair} <= {"u", "s"} and pair[1] != "exp":
            wrong.append(name)
    return wrong


def differs(theirs, ours):
    """The registers whose rules differ. Floating-point registers have names in readelf
    and numbers in the archive, so only their rules are compared."""
    theirs = {name.replace("%", ""): rule for name, rule in theirs.items()}
    ours = dict(ours)
    for ours_name, name in (("fp", "s0"), ("lr", "ra"), ("x30", "ra"), ("r14", "ra"),
                            ("r65", "ra")):
        if (
            name in theirs
            and name not in ours
            and ours_name in ours
            and ours_name not in theirs
        ):
            ours[name] = ours.pop(ours_name)
    named = [name for name in theirs if name in ours or theirs[name] in "us"]
    wrong = [name for name in named if not is_equal(theirs[name], ours.get(name))]
    rest = [theirs[name] for name in theirs if name not in named]
    others = [
        rule
        for name, rule in ours.items()
        if name not in named and rule not in ("same", "undefined")
    ]
    for rule in rest:
        match = next((other for other in others if is_equal(rule, other)), None)
        if match is None:
            wrong.append(rule)
        else:
            others.remove(match)
    return wrong + others


def table_rows(llvm_lidia, binary):
    """The rows of the binary without call frame information."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        remove = ["-R.debug_*", "-R.eh_frame"]
        subprocess.run([OBJCOPY, "--wildcard", *remove, binary, copy], check=True)
        return archive_rows(llvm_lidia, copy, folder)


def compare(llvm_lidia, binary, verbose, is_table, exported):
    if is_table:
        ours = table_rows(llvm_lidia, binary)
        theirs = readelf_rows(binary, (OBJDUMP, "--dwarf=frames-interp"))
    else:
        with tempfile.TemporaryDirectory() as folder:
            read = exported_rows if exported else archive_rows
            ours = read(llvm_lidia, binary, folder)
        theirs = readelf_rows(binary)
    starts = [row[0] for row in ours]
    frames = sorted({row[1:3] for row in theirs if row[4] == ".eh_frame"})
    begins = [frame[0] for frame in frames]
    total = equal = missing = 0
    for address, _, _, rules, section in theirs:
        if section != ".eh_frame":
            at = bisect.bisect_right(begins, address) - 1
            if at >= 0 and address < frames[at][1]:
                continue
        total += 1
        at = bisect.bisect_right(starts, address) - 1
        if at < 0 or address >= ours[at][1]:
            missing += 1
            if verbose:
                print(f"  {address:#x}: missing: {rules}")
            continue
        if exported:
            wrong = differs_in_export(rules, ours[at][2])
        else:
            wrong = differs(rules, archive_rules(ours[at][2]))
        equal += not wrong
        if wrong and verbose:
            print(f"  {address:#x}: {rules}, but {ours[at][2]}")
    print(f"{binary}: {total} rows, {equal} equal, {missing} missing")
    return total == equal


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--verbose", action="store_true", help="print what differs")
    parser.add_argument("--exported", action="store_true", help="compare the export")
    parser.add_argument("--table", action="store_true", help="compare .pdata's rows")
    parser.add_argument("binaries", nargs="+")
    options = parser.parse_args()
    results = [
        compare(options.llvm_lidia, binary, options.verbose, options.table,
                options.exported)
        for binary in options.binaries
    ]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
