#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the return pads of an archive with the calls that llvm-objdump finds.

usage: compare-with-objdump.py [options] BINARY [ARCHIVE]

Each call in llvm-objdump's output must have a return pad after it, and each pad must
have such a call. The frames of each pad must be those of a lookup of the address before
it. Without ARCHIVE, the script makes one. Prints the number of pads; exits with 1 if
anything differs.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s((?:[0-9a-f]{2,8} )+)\s*\t(.*)")
# Call mnemonics in llvm-objdump's output, by the architecture that it prints.
CALLS = {
    "x86": re.compile(r"^(?:\w+\s+)*l?call[wlq]?\b"),
    "aarch64": re.compile(r"^bl(r|raa|rab|raaz|rabz)?\b"),
    "arm": re.compile(r"^blx?(eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?\b|^svc\b"),
    "riscv": re.compile(r"^(c\.)?jalr?\b(?!\s+zero)"),
    "powerpc": re.compile(r"^b(c|cl|ct|dnzf?|dzf?)?(ctr|lr|a)?l\b|^bcl\b|^bl\b"),
    "s390": re.compile(r"^(bras|brasl|basr|bas)\b"),
    "mips": re.compile(r"^(jal|jalr|bal|bgezal|bltzal)\b"),
}
FAMILIES = {"elf64-x86-64": "x86", "elf32-i386": "x86", "elf32-x86-64": "x86",
            "elf64-littleaarch64": "aarch64", "elf64-bigaarch64": "aarch64",
            "elf32-littlearm": "arm", "elf64-littleriscv": "riscv",
            "elf32-littleriscv": "riscv", "elf64-powerpc": "powerpc",
            "elf64-powerpcle": "powerpc", "elf64-s390": "s390",
            "elf32-mips": "mips", "elf64-mips": "mips"}


def lines_of(command, **kwargs):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                          errors="replace", **kwargs) as process:
        yield from process.stdout
    if process.returncode:
        sys.exit(f"{command[0]} failed")


def calls_in(objdump, binary):
    """The return addresses of all calls that objdump shows."""
    pads, family, waits = set(), None, False
    for line in lines_of([objdump, "-d", binary]):
        if ":\tfile format " in line:
            family = FAMILIES[line.rsplit(" ", 1)[1].strip()]
            continue
        match = INSTRUCTION.match(line)
        if not match:
            continue
        address, code, text = match.groups()
        end = int(address, 16) + len(code.replace(" ", "")) // 2
        if waits:
            pads.add(end)
        is_call = bool(CALLS[family].match(text.replace("\t", " ")))
        # On MIPS, the instruction after a call is executed before it.
        waits = is_call and family == "mips"
        if is_call and not waits:
            pads.add(end)
    return pads


def frames_before(lidia, archive, addresses):
    """The frames of a lookup of the preceding address, for each address."""
    command = [lidia, "lookup", "--output-style=JSON", "--no-demangle", archive]
    with tempfile.TemporaryFile("w+") as queries:
        queries.writelines(f"{a - 1:#x}\n" for a in addresses)
        queries.seek(0)
        for line in lines_of(command, stdin=queries):
            frames = [{"function": f["FunctionName"], "file": f["FileName"],
                       "line": f["Line"], "column": f["Column"]}
                      for f in json.loads(line)["Symbol"]]
            empty = {"function": "", "file": "", "line": 0, "column": 0}
            yield [] if frames == [empty] else frames


def report(what, addresses, limit=10):
    for address in sorted(addresses)[:limit]:
        print(f"{address:#x}: {what}")
    if len(addresses) > limit:
        print(f"... {len(addresses)} in all: {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--llvm-objdump", default="llvm-objdump")
    parser.add_argument("--allow-missing", type=int, default=0, metavar="N",
                        help="accept N calls of either side that the other lacks")
    parser.add_argument("binary")
    parser.add_argument("archive", nargs="?")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        archive = options.archive or os.path.join(scratch, "archive")
        if not options.archive:
            subprocess.run([options.llvm_lidia, "-q", "--columns", "--return-pads",
                            options.binary, "-o", archive], check=True)
        dump = lines_of([options.llvm_lidia, "dump", "--return-pads=json", archive])
        pads, other_frames = [], []
        # Two functions read one stream of pads, because it is large.
        for chunk in iter(lambda: list(itertools.islice(dump, 100000)), []):
            some = [json.loads(line) for line in chunk]
            addresses = [int(pad["address"], 16) for pad in some]
            pads += addresses
            other_frames += [
                a for a, pad, frames in zip(
                    addresses, some,
                    frames_before(options.llvm_lidia, archive, addresses))
                if pad["frames"] != frames]
    ours, theirs = set(pads), calls_in(options.llvm_objdump, options.binary)
    if pads != sorted(ours):
        sys.exit("pads are not ascending")
    report("no return pad after this call", theirs - ours)
    report("a return pad, but llvm-objdump shows no call", ours - theirs)
    report("other frames than a lookup of the address before", other_frames)
    print(f"{len(ours)} return pads, {len(theirs)} calls")
    differences = len(theirs ^ ours)
    return 1 if other_frames or differences > options.allow_missing else 0


if __name__ == "__main__":
    sys.exit(main())
