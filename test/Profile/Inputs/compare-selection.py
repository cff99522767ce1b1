#!/usr/bin/env python3
"""Compares selections of llvm-lidia and pprof: compare-selection.py WRITE-PPROF PPROF.

Makes ten random profiles, and compares the tables of functions for each option."""

import random
import re
import subprocess
import sys

OPTIONS = [
    [],
    ["focus=f1"],
    ["focus=f[23]$"],
    ["ignore=f2"],
    ["hide=f3"],
    ["show=f[0-3]"],
    ["focus=liba"],
    ["hide=b[.]c"],
    ["show=libb"],
    ["focus=f1", "ignore=f4", "hide=f0"],
    ["focus=f5", "show=f[1245]"],
]


def profile(generator):
    """A profile in the text format of protobuf. Functions have one file each."""
    texts = ["", "cpu", "nanoseconds", "/liba.so", "/libb.so", "a.c", "b.c"]
    names = [f"f{i}" for i in range(8)]
    lines = ["sample_type { type 1 unit 2 }"]
    for module in (1, 2):
        lines.append(
            f"mapping {{ id {module} memory_start {module * 4096} memory_limit "
            f"{module * 4096 + 4096} filename {module + 2} has_functions 1 }}"
        )
    for i, name in enumerate(names):
        texts.append(name)
        lines.append(
            f"function {{ id {i + 1} name {len(texts) - 1} system_name "
            f"{len(texts) - 1} filename {5 + i % 2} }}"
        )
    for i in range(1, 13):
        module = 1 + i % 2
        # Functions stay in one module, for pprof tells them apart by that.
        own = [f for f in range(1, 9) if f % 2 == i % 2]
        calls = "".join(
            f"line {{ function_id {f} line 1 }} "
            for f in generator.sample(own, generator.randrange(1, 3))
        )
        lines.append(
            f"location {{ id {i} mapping_id {module} address {module * 4096 + i} "
            f"{calls}}}"
        )
    for _ in range(40):
        stack = [generator.randrange(1, 13) for _ in range(generator.randrange(1, 7))]
        lines.append(
            f"sample {{ location_id [{' '.join(map(str, stack))}] value {generator.randrange(1, 1000)} }}"
        )
    lines += [f'string_table "{t}"' for t in texts]
    return "\n".join(lines)


def run(*command, text=None):
    return subprocess.run(
        command, input=text, check=True, capture_output=True, text=True
    ).stdout


def of_pprof(pprof, options):
    rows = {}
    command = [pprof, "-top", "-nodecount=10000", "-nodefraction=0", "-edgefraction=0"]
    command += ["-unit=ns", "-symbolize=none", *("-" + o for o in options), "in.pb"]
    for line in run(*command).splitlines():
        row = re.match(r" *(\d+)(?:ns)? +\S+ +\S+ +(\d+)(?:ns)? +\S+ +(\w+)", line)
        if row:
            flat, total, name = row.groups()
            rows[name] = int(flat), int(total)
    return rows


def of_lidia(options):
    rows = {}
    command = ["llvm-lidia", "profile", "-q", "--format=top", "--raw-units", "in.pb"]
    for line in run(*command, *("--" + o for o in options)).splitlines()[2:]:
        own, _, total, _, name = line.split()[:5]
        rows[name] = int(own), int(total)
    return rows


def main():
    write_pprof, pprof = sys.argv[1:]
    compared = 0
    for seed in range(10):
        text = profile(random.Random(seed))
        run(sys.executable, write_pprof, "in.pb", text=text)
        for options in OPTIONS:
            ours, theirs = of_lidia(options), of_pprof(pprof, options)
            assert ours == theirs, (seed, options, ours, theirs)
            compared += len(ours)
    print(compared, "rows are equal")


main()
