#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare unwind rows with the tables of Windows programs for ARM64.

    utils/agreement/compare-windows-tables.py [--llvm-lidia PROGRAM] BINARY...

Makes an archive of each PE file, and runs the instructions that `llvm-readobj --unwind`
prints for each function's prologue and epilogues. At each of them, and between them,
the resulting CFA and locations of saved registers must be those of the archive's row.
For packed unwind data, readobj prints only the prologue. For x86-64 see
compare-unwind-rows.py --table. Prints a line for each binary. The exit status is 1 if a
row differs or is missing.
"""

import argparse
import bisect
import importlib.util
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


class Function:
    def __init__(self, begin):
        self.begin = begin
        self.length = 0
        self.prologue = None
        self.epilogues = []  # (offset from the function or None, instructions)
        self.is_fragment = False


def functions(readobj, binary):
    """The functions in the output of llvm-readobj."""
    text = subprocess.run(
        [readobj, "--unwind", binary], capture_output=True, text=True, check=True
    ).stdout
    found, instructions, offset = [], None, None
    for line in text.splitlines():
        line = line.strip()
        name, _, value = line.partition(": ")
        if name == "Function":
            found.append(Function(int(re.search(r"\(?(0x[0-9A-Fa-f]+)\)?$", value)[1], 16)))
        elif name == "FunctionLength":
            found[-1].length = int(value)
        elif name == "Fragment":
            found[-1].is_fragment = value == "Yes"
        elif name == "StartOffset":
            # In units of instructions, which have four bytes.
            offset = 4 * int(value)
        elif name == "EpilogueOffset":
            found[-1].same = int(value) == 0
        elif line == "Prologue [":
            instructions = found[-1].prologue = []
        elif line in ("Epilogue [", "Opcodes ["):
            instructions = []
            found[-1].epilogues.append((offset, instructions))
            offset = None
        elif line == "]":
            instructions = None
        elif instructions is not None:
            instructions.append(re.sub(r"^0x[0-9a-f]+\s*; ", "", line))
    for function in found:
        # The prologue's codes may also be those of the only epilogue.
        if getattr(function, "same", False) and not function.epilogues:
            function.epilogues.append((None, function.prologue))
    return found


def number_of(register):
    """The register's name in the archive, and its number in its class."""
    register = {"fp": "x29", "lr": "x30"}.get(register, register)
    number = int(register[1:])
    return (register if register[0] == "x" else f"r{64 + number}"), number


def steps_of(instructions):
    """Triples: the saved registers, the change of the stack pointer, and the base."""
    steps, pairs = [], 0
    for text in instructions:
        if text in ("end", "end_c"):
            break
        words = re.match(r"(\w+)\s*(.*)", text)
        operands = re.findall(r"[xd]\d+|fp|lr|sp|#-?\d+", words[2])
        registers = [o for o in operands if o[0] in "xdfl"]
        numbers = [int(o[1:]) for o in operands if o[0] == "#"]
        if words[1] in ("stp", "str", "ldp", "ldr"):
            is_push = "]!" in text or "], #" in text
            at = 0 if is_push else numbers[0] if numbers else 0
            saved = [(register, at + 8 * i) for i, register in enumerate(registers)]
            steps.append(("save", saved, abs(numbers[0]) if is_push else 0))
        elif words[1] in ("sub", "add") and operands[0] == "sp" and len(registers) == 0:
            steps.append(("move", numbers[0]))
        elif words[1] in ("mov", "add") and registers:
            steps.append(("frame", -numbers[0] if numbers else 0))
        elif text in ("save next", "restore next"):
            steps.append(("next",))
        elif words[1] == "nop":
            steps.append(("move", 0))
        else:
            raise ValueError(text)
    return steps


def rules(steps):
    base, offset, saved, pairs = "sp", 0, {}, 0
    for step in steps:
        if step[0] == "next":
            pairs += 1
        elif step[0] == "move":
            offset += step[1]
        elif step[0] == "frame":
            base, offset = "x29", step[1]
        else:
            registers = list(step[1])
            first, at = registers[0]
            for pair in range(2, 2 * pairs + 2):
                registers.append((first[0] + str(number_of(first)[1] + pair), at + 8 * pair))
            pairs = 0
            for register, at in registers:
                saved[number_of(register)[0]] = (base, offset + at)
            offset += step[2]
    out = {"CFA": f"{base}{offset:+d}" if offset else base}
    for name, (register, at) in saved.items():
        if register == base:
            out[name] = f"[CFA{at - offset:+d}]"
        else:
            out[name] = f"[{register}{at:+d}]" if at else f"[{register}]"
    return out


def expected(function):
    """The address and rules of each instruction that readobj describes, and of the code
    between them."""
    begin, prologue = function.begin, steps_of(function.prologue)
    count = 0 if function.is_fragment else len(prologue)
    rows = {}
    for i in range(count + 1):
        if 4 * i < function.length:
            rows[begin + 4 * i] = rules(prologue[count - i:])
    for offset, instructions in function.epilogues:
        steps = steps_of(instructions)
        if offset is None:
            offset = function.length - 4 * (len(steps) + 1)
        for i in range(len(steps) + 1):
            rows[begin + offset + 4 * i] = rules(steps[i:])
    return rows


def compare(options, binary):
    with tempfile.TemporaryDirectory() as folder:
        ours = ROWS.archive_rows(options.llvm_lidia, binary, folder)
    starts = [row[0] for row in ours]
    total = equal = missing = count = unknown = 0
    for function in functions(options.readobj, binary):
        count += 1
        try:
            rows = expected(function)
        except ValueError as error:
            unknown += 1
            print(f"  {function.begin:#x}: not understood: {error}")
            continue
        for address, theirs in sorted(rows.items()):
            total += 1
            at = bisect.bisect_right(starts, address) - 1
            if at < 0 or address >= ours[at][1]:
                missing += 1
                continue
            found = ROWS.archive_rules(ours[at][2])
            equal += found == theirs
            if found != theirs and options.verbose:
                print(f"  {address:#x}: {theirs}, but {ours[at][2]}")
    print(
        f"{binary}: {count} functions, {total} rows, {equal} equal, {missing} missing, "
        f"{unknown} functions not understood"
    )
    return total == equal and not unknown and total > 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--readobj", default="llvm-readobj-19")
    parser.add_argument("--verbose", action="store_true", help="print what differs")
    parser.add_argument("binaries", nargs="+")
    options = parser.parse_args()
    results = [compare(options, binary) for binary in options.binaries]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
