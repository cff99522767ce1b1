#!/usr/bin/env python3
"""Measures the Python module: rows per minute for a column of addresses, compared with
a loop over lookups and with llvm-symbolizer.

    lidia-python utils/benchmark/measure-python.py BINARY [--rows N] [--distinct N]

The addresses are in the binary's functions, chosen at random: --rows of them, of which
--distinct differ, because a profile's samples have few distinct addresses. The archive
is warm: a first call, which is also printed, has read it. Everything runs on one core.
"""

import argparse
import bisect
import os
import random
import resource
import subprocess
import time


def choose_addresses(archive, count):
    """Addresses in functions: entries, and up to a kilobyte after them."""
    entries = sorted({entry for function in archive.functions()
                      for entry in function.entries})
    source = random.Random(1)
    chosen = []
    while len(chosen) < count:
        entry = source.choice(entries)
        following = bisect.bisect(entries, entry)
        end = entries[following] if following < len(entries) else entry + 1
        chosen.append(source.randrange(entry, min(end, entry + 1024)))
    return chosen


def timed(function):
    start = time.process_time(), time.perf_counter()
    result = function()
    return result, time.process_time() - start[0], time.perf_counter() - start[1]


def report(name, rows, cpu, wall):
    print(f"{name:34} {rows:>11,} rows {cpu:8.2f} s CPU {wall:8.2f} s "
          f"{rows / cpu * 60 / 1e6:10.2f} million rows a minute of CPU")


def run_symbolizer(binary, addresses):
    text = "\n".join(f"{binary} {address:#x}" for address in addresses)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _, _, wall = timed(lambda: subprocess.run(
        ["llvm-symbolizer"], input=text, text=True, check=True,
        stdout=subprocess.DEVNULL))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report("llvm-symbolizer (with start)", len(addresses), cpu, wall)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--distinct", type=int, default=1_000_000)
    parser.add_argument("--loop-rows", type=int, default=200_000)
    args = parser.parse_args()
    # Imported here, because --help does not need it.
    import pyarrow as pa

    import lidia

    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])

    archive = lidia.convert(args.binary)
    distinct = choose_addresses(archive, args.distinct)
    source = random.Random(2)
    rows = source.choices(distinct, k=args.rows)
    addresses = pa.array(rows, pa.uint64())
    ids = pa.array([archive.build_id or "00"] * len(rows)).dictionary_encode()
    symbolizer = lidia.Symbolizer({archive.build_id or "00": archive})

    for name, call in (
        ("Archive.symbolize, first call", lambda: archive.symbolize(addresses)),
        ("Archive.symbolize", lambda: archive.symbolize(addresses)),
        ("Symbolizer.symbolize", lambda: symbolizer.symbolize(ids, addresses)),
    ):
        frames, cpu, wall = timed(call)
        report(name, len(rows), cpu, wall)
    counts = pa.array(frames)
    print(f"{len(counts.flatten()) / len(rows):.1f} frames a row, "
          f"{counts.null_count} rows without")
    del frames, counts
    some = rows[:args.loop_rows]
    for name, call in (
        ("lookup_batch", lambda: archive.lookup_batch(some)),
        ("a loop over lookup", lambda: [archive.lookup(a) for a in some]),
    ):
        _, cpu, wall = timed(call)
        report(name, len(some), cpu, wall)
    run_symbolizer(args.binary, some)


main()
