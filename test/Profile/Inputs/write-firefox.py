#!/usr/bin/env python3
"""Writes a profile in the processed format of Firefox Profiler, as samply does.

Usage: write-firefox.py OUTPUT [OPTION]...

Two threads of a program run test/Inputs/inline-clang-O2-dwarf5.elf, which was not
symbolized, and code without a file.

  --shared          tables that all threads share, as newer versions have them
  --old             names of columns of older versions, and pids that are texts
  --symbolicated    functions have names, files and lines, with inlined calls
  --weights=TYPE    samples, bytes or tracing-ms, which are 2, 3, 4, ... and 1.5 at last
  --hostile         stacks that call each other, and rows that do not exist
"""

import json
import sys

BUILD_ID = "324553affe6364f7347d3807579ba10fe664ac68"


def tables(options):
    strings = ["0x180", "0x231", "jitted", "a.out", "main", "work", "inlined", "/src/a.c"]
    frames = {"address": [0x180, 0x231, -1, 0x180], "inlineDepth": [0, 0, 0, 1],
              "func": [0, 1, 2, 3], "line": [None] * 4, "column": [None] * 4,
              "nativeSymbol": [None] * 4}
    functions = {"name": [0, 1, 2, 0], "resource": [0, 0, -1, 0],
                 "fileName": [None] * 4, "lineNumber": [None] * 4}
    if "symbolicated" in options:
        frames["line"] = [11, 5, None, 22]
        frames["nativeSymbol"] = [0, 0, None, 0]
        functions.update(name=[5, 4, 2, 6], resource=[-1] * 4, fileName=[7, 7, None, 7])
    stacks = {"frame": [1, 0, 2, 3], "prefix": [None, 0, 0, 1]}
    if "hostile" in options:
        stacks = {"frame": [1, 99, 0, 3], "prefix": [2, 0, 2, 1]}
    return {"frameTable": frames, "funcTable": functions, "stackTable": stacks,
            "resourceTable": {"lib": [0], "name": [3]},
            "nativeSymbols": {"libIndex": [0], "address": [0], "name": [3]},
            "stringTable" if "old" in options else "stringArray": strings}


def thread(options, name, tid, stacks):
    count = len(stacks)
    samples = {"length": count, "stack": stacks, "weight": None}
    if "weights" in options:
        samples["weight"] = list(range(2, count + 1)) + [1.5]
        samples["weightType"] = options["weights"]
    if "old" in options:
        samples["time"] = [10 * i for i in range(count)]
    else:
        samples["timeDeltas"] = [0] + [10] * (count - 1)
    pid = "12" if "old" in options else 12
    return {"name": name, "processName": "a.out", "pid": pid, "tid": tid,
            "samples": samples}


def main():
    options = dict(a[2:].partition("=")[::2] for a in sys.argv[2:])
    stacks = [[1, 1, 2, 0, None], [1, 3]]
    if "hostile" in options:
        stacks = [[0, 1, 2, 77, -1, 3], [2**40, "1", 2, 2**32 - 2, 2**32 - 3]]
    threads = [thread(options, "main", 12, stacks[0]),
               thread(options, "worker", 13, stacks[1])]
    profile = {
        "meta": {"version": 24, "preprocessedProfileVersion": 47, "interval": 1,
                 "startTime": 1700000000000.5,
                 "symbolicated": "symbolicated" in options},
        "libs": [{"name": "a.out", "path": "/a.out", "debugName": "a.out",
                  "debugPath": "/a.out", "codeId": BUILD_ID, "arch": None,
                  "breakpadId": "AF534532" + "63FEF764347D3807579BA10F0"}],
        "threads": threads}
    if "shared" in options:
        profile["shared"] = tables(options)
    else:
        for t in threads:
            t.update(tables(options))
    with open(sys.argv[1], "w", encoding="utf-8") as output:
        json.dump(profile, output)


main()
