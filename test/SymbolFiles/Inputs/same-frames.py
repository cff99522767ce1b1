#!/usr/bin/env python3
"""Compares the frames of an archive with those of a file exported from it, or of the
file from which it was made.

    same-frames.py [--base ADDRESS] [--sample COUNT] [--named] [--demangled]
                   ARCHIVE READER FILE

READER is llvm-gsymutil, blazesym-reader, symbolic-reader or, for archives and all other
inputs of lookup, llvm-lidia. Both are asked for all addresses of the archive's
functions, or for COUNT random ones of them; with --named or a GSYM reader, only for
those that have a name. With --demangled, FILE has demangled names. Addresses in FILE
are relative to --base. Prints the number of frames. The exit status is 1 if there is a
difference; the first ones are printed.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys

RANGE = re.compile(r" *\[\d+\] 0x([0-9a-f]+)\.\.0x([0-9a-f]+) depth 0 ?(.*)")
GSYM_FRAME = re.compile(r"(?:0x[0-9a-f]{16}: | {20})(.+?)(?: \+ \d+)?"
                        r"(?: @ (.*):(\d+))?(?: \[inlined\])?")


def run(*command, text=""):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, input=text,
                          encoding="utf-8", errors="surrogateescape").stdout


def read_functions(archive):
    """(start, end, whether it has a name) for each range of depth 0."""
    for line in run("llvm-lidia", "dump", "--ranges", archive).splitlines():
        if match := RANGE.fullmatch(line):
            start, end, text = match.groups()
            yield int(start, 16), int(end, 16), not text.startswith("??")


def pick(functions, sample):
    every = [address for start, end, _ in functions for address in (
        range(start, end) if not sample else (start, end - 1, (start + end) // 2))]
    if sample and len(every) > sample:
        every = random.Random(1).sample(every, sample)
    return sorted(set(every))


def position(file, line):
    """A position with a normalized path, because the readers of other formats normalize
    paths."""
    return (os.path.normpath(file) if file else "", int(line or 0))


def ask_lidia(archive, addresses, demangled=False):
    out = run("llvm-lidia", "lookup", "--demangle" if demangled else "--no-demangle",
              "--output-style=JSON", archive,
              text="".join(f"{address:#x}\n" for address in addresses))
    for answer in map(json.loads, out.splitlines()):
        yield [(frame["FunctionName"],
                *position(frame["FileName"], frame["Line"]))
               for frame in answer["Symbol"]]


def ask_gsymutil(file, addresses, _):
    """llvm-gsymutil prints an address, its frames and an empty line."""
    out = run("llvm-gsymutil", "--addresses-from-stdin",
              text="".join(f"{address:#x} {file}\n" for address in addresses))
    for part in out.rstrip("\n").split("\n\n") if out else ():
        frames = []
        for line in part.splitlines():
            match = GSYM_FRAME.fullmatch(line)
            assert match, line
            name, path, number = match.groups()
            frames.append((name, *position(path, number)))
        yield frames


def ask_crate(reader, file, addresses, base):
    """The reader prints the frames of an address and an empty line."""
    out = run(reader, file,
              text="".join(f"{address - base:#x}\n" for address in addresses))
    frames = []
    for line in out.splitlines():
        if not line:
            yield frames
            frames = []
            continue
        name, place = line.rsplit("\t", 1)
        if name in ("?", "<name omitted>"):
            name = ""
        frames.append((name, *position(*place.rsplit(":", 1))))


def ask_symbolic(file, addresses, base):
    return ask_crate("symbolic-reader", file, addresses, base)


def ask_blazesym(file, addresses, base):
    return ask_crate("blazesym-reader", file, addresses, base)


def ask_archive(file, addresses, base):
    return ask_lidia(file, [address - base for address in addresses])


READERS = {"llvm-gsymutil": ask_gsymutil, "blazesym-reader": ask_blazesym,
           "symbolic-reader": ask_symbolic, "llvm-lidia": ask_archive}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=lambda s: int(s, 0), default=0)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--demangled", action="store_true")
    parser.add_argument("archive")
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("file")
    options = parser.parse_args()
    functions = list(read_functions(options.archive))
    if options.named or options.reader in ("llvm-gsymutil", "blazesym-reader"):
        functions = [f for f in functions if f[2]]
    addresses = pick(functions, options.sample)
    ours = list(ask_lidia(options.archive, addresses, options.demangled))
    theirs = list(READERS[options.reader](options.file, addresses, options.base))
    assert len(ours) == len(theirs) == len(addresses), (len(ours), len(theirs))
    differences = 0
    for address, want, have in zip(addresses, ours, theirs):
        if want != have:
            differences += 1
            if differences <= 5:
                print(f"{address:#x}\n  archive {want}\n  file    {have}")
    print(f"{len(addresses)} addresses, {sum(map(len, ours))} frames, "
          f"{differences} differences")
    return differences != 0


if __name__ == "__main__":
    sys.exit(main())
