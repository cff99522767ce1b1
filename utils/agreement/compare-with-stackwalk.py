#!/usr/bin/env python3
"""Compares the stacks of minidumps with those of minidump-stackwalk.

    compare-with-stackwalk.py [--llvm-lidia PROGRAM] [--stackwalk PROGRAM]
                              [--symbols FOLDER] [--recorded FOLDER] DUMP... [-- OPTION...]

Both print JSON in one schema. The options after "--" are for `llvm-lidia stack`
(--store=, --sysroot=, --modules-from=). --symbols has symbol files in
minidump-stackwalk's layout. With --recorded, minidump-stackwalk is not run: NAME.json
in that folder is its earlier output for NAME.dmp. Optional parts of the schema
(analyses of the crashing instruction, certificates, handles) are not compared. Names
are compared without hashes and spaces, because symbol files have another form of them.
The exit status is 1 if anything differs.
"""

import argparse
import json
import os
import re
import subprocess
import sys

TOP = ["pid", "process_uptime", "linux_memory_map_count", "lsb_release", "thread_count",
       "main_module"]
CRASH = ["type", "address", "crashing_thread"]
MODULE = ["base_addr", "end_addr", "filename", "code_id", "debug_file", "debug_id", "version"]
UNLOADED = ["base_addr", "end_addr", "filename", "code_id"]
THREAD = ["thread_id", "thread_name", "frame_count"]
FRAME = ["offset", "module", "module_offset", "trust", "function_offset", "line",
         "unloaded_modules"]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def plain(name):
    """A function's name without the parts in which its forms differ."""
    return re.sub(r"::h[0-9a-f]{16}\b|\s", "", name) if name else name


class Comparison:
    def __init__(self):
        self.same = 0
        self.differences = []

    def value(self, where, ours, theirs):
        if ours == theirs:
            self.same += 1
        else:
            self.differences.append(f"{where}: {ours!r}, but {theirs!r}")

    def fields(self, where, names, ours, theirs):
        for name in names:
            self.value(f"{where} {name}", ours.get(name), theirs.get(name))

    def lists(self, where, ours, theirs, compare):
        ours, theirs = ours or [], theirs or []
        self.value(f"{where} count", len(ours), len(theirs))
        for i, (one, other) in enumerate(zip(ours, theirs)):
            compare(f"{where} {i}", one, other)

    def frame(self, where, ours, theirs):
        self.fields(where, FRAME, ours, theirs)
        self.place(where, ours, theirs)
        self.lists(where + " inline", ours.get("inlines"), theirs.get("inlines"), self.place)

    def place(self, where, ours, theirs):
        self.value(where + " function", plain(ours["function"]), plain(theirs["function"]))
        self.fields(where, ["file", "line"], ours, theirs)

    def thread(self, where, ours, theirs):
        self.fields(where, THREAD, ours, theirs)
        self.lists(where + " frame", ours["frames"], theirs["frames"], self.frame)

    def dump(self, ours, theirs):
        self.fields("dump", TOP, ours, theirs)
        self.fields("crash", CRASH, ours["crash_info"], theirs["crash_info"])
        self.fields("system", sorted(theirs["system_info"]), ours["system_info"],
                    theirs["system_info"])
        self.lists("module", ours["modules"], theirs["modules"],
                   lambda *a: self.fields(a[0], MODULE, *a[1:]))
        self.lists("unloaded", ours["unloaded_modules"], theirs["unloaded_modules"],
                   lambda *a: self.fields(a[0], UNLOADED, *a[1:]))
        self.lists("thread", ours["threads"], theirs["threads"], self.thread)
        registers = [(d.get("crashing_thread") or {"frames": [{}]})["frames"][0].get("registers")
                     for d in (ours, theirs)]
        self.value("registers", *registers)


def theirs_of(dump, arguments):
    if arguments.recorded:
        name = os.path.splitext(os.path.basename(dump))[0] + ".json"
        with open(os.path.join(arguments.recorded, name), encoding="utf-8") as file:
            return json.load(file)
    symbols = ["--symbols-path", arguments.symbols] if arguments.symbols else []
    return run([arguments.stackwalk, "--json", *symbols, dump])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--stackwalk", default="minidump-stackwalk")
    parser.add_argument("--symbols")
    parser.add_argument("--recorded")
    parser.add_argument("dumps", nargs="+")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:cut]), words[cut + 1:]
    failed = False
    for dump in arguments.dumps:
        ours = run([arguments.llvm_lidia, "stack", "-q", "--format=minidump-stackwalk",
                    f"--minidump={dump}", *options])
        theirs = theirs_of(dump, arguments)
        comparison = Comparison()
        comparison.dump(ours, theirs)
        frames = sum(t["frame_count"] for t in theirs["threads"])
        print(f"{dump}: {len(theirs['threads'])} threads, {frames} frames, "
              f"{comparison.same} values the same, {len(comparison.differences)} differences")
        for difference in comparison.differences:
            print("  " + difference)
        failed |= bool(comparison.differences)
    return failed


if __name__ == "__main__":
    sys.exit(main())
