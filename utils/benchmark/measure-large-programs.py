#!/usr/bin/env python3
"""Measures conversions of large programs: time, memory and how they grow.

    measure-large-programs.py [--build=BUILD] [--threads=1,2] [--gsymutil-up-to=BYTES]
                              PROGRAM...

PROGRAM... are what make-large-program.py made. Each is converted by llvm-lidia with each
number of threads and, if its DWARF is small enough, by llvm-gsymutil, and random addresses
are looked up. Prints rows for docs/Performance.md: wall clock and processor time, the peak
of resident memory with the pages of mapped files, and without them. Then the growth for a
gigabyte of DWARF, and by Amdahl's law the time with more threads, from the processor time of
each phase and thread: what runs while there is one thread is serial, merging never uses more
than two threads, and the rest is shared by all."""

import argparse
import collections
import json
import random
import re
import shutil
import subprocess

from measured_process import run

Model = collections.namedtuple("Model", "serial merging shared")


def sections(program):
    """The addresses and sizes of sections, by name."""
    text = subprocess.run(["readelf", "-SW", program], check=True, capture_output=True,
                          text=True).stdout
    return {name: (int(address, 16), int(size, 16)) for name, address, size in re.findall(
        r"(\.\w+) +PROGBITS +(\w+) \w+ (\w+)", text)}


def dwarf_size(program):
    return sum(size for name, (_, size) in sections(program).items()
               if name.startswith(".debug_"))


def phase_at(phases, when):
    for name, length in phases.items():
        when -= length
        if when < 0:
            return name
    return "end"


def model(measured):
    """How the processor time can be shared."""
    serial = shared = 0.0
    merging, phases = collections.Counter(), json.loads(measured.output)["seconds"]
    for (_, before), (when, after) in zip(measured.samples, measured.samples[1:]):
        spent = {thread: after[thread] - before.get(thread, 0) for thread in after}
        if len(after) == 1:
            serial += sum(spent.values())
        elif phase_at(phases, when) == "merge":
            merging.update(spent)
        else:
            shared += sum(spent.values())
    return Model(serial, max(merging.values(), default=0), shared)


def row(what, size, measured):
    print(f"| {what} | {size / 1e9:.1f} GB | {measured.wall:.1f} s | {measured.cpu:.1f} s | "
          f"{measured.peak / 1e6:,.0f} MB | {measured.anonymous / 1e6:,.0f} MB |", flush=True)


def measure_lookups(tool, program, size):
    start, length = sections(program)[".text"]
    random.seed(1)
    addresses = [f"{start + random.randrange(length):#x}\n" for _ in range(100_000)]
    command = [tool, "lookup", "--no-demangle", program + ".lidia"]
    row("`lookup`, one address", size, run([*command, addresses[0].strip()]))
    row("`lookup`, 100,000 random addresses", size, run(command, "".join(addresses)))


def slope(sizes, values):
    """What a gigabyte adds, by least squares."""
    x, y = sum(sizes) / len(sizes), sum(values) / len(values)
    return sum((a - x) * (b - y) for a, b in zip(sizes, values)) / sum(
        (a - x) ** 2 for a in sizes) * 1e9


def print_growth(runs):
    for threads, measured in runs.items():
        sizes = [size for size, _ in measured]
        if len(sizes) < 2:
            continue
        cpu, peak, anonymous = (slope(sizes, [getattr(r, field) for _, r in measured])
                                for field in ("cpu", "peak", "anonymous"))
        print(f"{threads} threads, for each further GB of DWARF: {cpu:.2f} s of processor "
              f"time, {peak / 1e6:.0f} MB of memory, {anonymous / 1e6:.0f} without files")


def print_model(size, measured):
    m = model(measured)
    print(f"{size / 1e9:.1f} GB: {m.serial:.1f} s by one thread, {m.merging:.1f} s by the "
          f"busier of the two that merge, {m.shared:.1f} s by all")
    alone = measured.cpu
    for threads in (2, 4, 8, 16, 64):
        together = m.serial + m.merging + m.shared / threads
        print(f"  {threads} threads: {together:.1f} s, {alone / together:.1f} times as fast")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--build", default="build")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--gsymutil-up-to", type=float, default=1.1e9, metavar="BYTES")
    options = parser.parse_args()
    gsymutil = shutil.which("llvm-gsymutil-19") or shutil.which("llvm-gsymutil")
    runs = collections.defaultdict(list)
    print("| | DWARF | time | processor time | peak memory | without files |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")
    for program in options.programs:
        size = dwarf_size(program)
        tool = f"{options.build}/bin/llvm-lidia"
        for threads in options.threads.split(","):
            measured = run([tool, "--crc", "--lines",
                            "--statistics=json", f"--num-threads={threads}", program,
                            "-o", program + ".lidia"])
            runs[threads].append((size, measured))
            row(f"`llvm-lidia`, {threads} threads", size, measured)
        measure_lookups(tool, program, size)
        if gsymutil and size <= options.gsymutil_up_to:
            row("`llvm-gsymutil --convert`, 2 threads", size,
                run([gsymutil, "--convert", program, "--num-threads=2", "-o",
                     program + ".gsym"]))
    print_growth(runs)
    for size, measured in runs.get("2", []):
        print_model(size, measured)


main()
