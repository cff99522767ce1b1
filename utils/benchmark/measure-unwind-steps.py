#!/usr/bin/env python3
"""Compares a step of the unwinder with the Rust library framehop, in one run.

    measure-unwind-steps.py --build BUILD-FOLDER --framehop PROGRAM
                            [--runs N] BINARY...

BINARY is an ELF file for x86-64 with .eh_frame. PROGRAM is framehop-steps, which cargo
builds (docs/Performance.md). Both programs get the same return addresses in code with
unwind rows:

  any order   random ones, each byte of code with the same probability, so that nearly
              every step finds and decodes its rules
  returning   100 of them, repeatedly, as in the stacks of one program; both
              unwinders cache the rules of 509 addresses

Our step restores all registers that functions preserve; framehop's restores rip, rsp
and rbp. Runs of the two programs alternate. Times are of the fastest run, because
another program may take half of the processor during any run. Prints Markdown: a row
for each measurement, with the ratio, the target and whether it was met, and the number
of addresses with a step.
"""

import argparse
import importlib
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
benchmarks = importlib.import_module("run-benchmarks")

RETURNING = 100
# So that a measurement takes about half a second.
STEPS = 1_000_000


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def fastest(runs, *commands):
    """The lowest number of nanoseconds and the number of answers that each command
    prints."""
    results = [[] for _ in commands]
    for _ in range(runs):
        for command, result in zip(commands, results):
            time, answers = output(*command).split()
            result.append((float(time), int(answers)))
    return [min(result) for result in results]


def measure(args, binary, folder):
    ours = os.path.join(args.build, "bin", "lidia-unwind-benchmark")
    archive = os.path.join(folder, "archive.lidia")
    subprocess.run([os.path.join(args.build, "bin", "llvm-lidia"), "--crc", "--quiet",
                    "--lines", binary, "-o", archive], check=True)
    chosen = output(ours, "choose", archive, str(benchmarks.ADDRESSES)).splitlines()
    table = benchmarks.Table(f"`{os.path.basename(binary)}`")
    for name, addresses in (("in any order", chosen), ("returning", chosen[:RETURNING])):
        path = os.path.join(folder, "addresses")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(address + "\n" for address in addresses)
        rounds = str(STEPS // len(addresses))
        rules, steps, theirs = fastest(
            args.runs, (ours, "rules", archive, path, rounds),
            (ours, "steps", archive, path, rounds), (args.framehop, binary, path, rounds))
        work = f"{len(addresses):,} addresses {name}"
        if addresses is chosen:
            table.faster(f"finding and decoding rules; framehop's step: {work}", rules[0],
                         theirs[0], 1, "ns")
        table.faster(f"a step: {work}", steps[0], theirs[0], 0, "ns")
        table.row("addresses with a step", f"{steps[1]:,}", f"{theirs[1]:,}")
    print(benchmarks.markdown(table.result))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, metavar="FOLDER",
                        help="the build folder, with its bin")
    parser.add_argument("--framehop", required=True, metavar="PROGRAM",
                        help="the program that cargo makes of framehop-steps")
    parser.add_argument("--runs", type=int, default=5, metavar="N",
                        help="runs of each program (default: 5)")
    parser.add_argument("binaries", nargs="+", metavar="BINARY")
    args = parser.parse_args()
    print(benchmarks.machine())
    with tempfile.TemporaryDirectory() as folder:
        for binary in args.binaries:
            measure(args, binary, folder)


if __name__ == "__main__":
    main()
