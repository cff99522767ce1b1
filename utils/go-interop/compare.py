#!/usr/bin/env python3
"""Asks Lidia's Go library and llvm-lidia for the same addresses of an archive.

    compare.py [--crc] [--sample N] [--rows-of-other-files] ARCHIVE

The Go library answers with functions and with the file of each range. It supports
neither lines nor call sites nor this project's extension. So its functions must be
those of `llvm-lidia lookup`, and its files those that `llvm-lidia dump` shows for the
ranges. They are also the files of the lookup, unless rows of a range come from several
files, which --rows-of-other-files allows.

Prints what was compared. The exit status is 1 if there is a difference.
"""

import argparse
import bisect
import json
import random
import re
import subprocess
import sys

RANGE = re.compile(r" *\[\d+\] 0x([0-9a-f]+)\.\.0x([0-9a-f]+) depth (\d+) ?(.*)")


def run(*command, **kwargs):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          encoding="utf-8", errors="surrogateescape",
                          **kwargs).stdout


def read_ranges(archive):
    """(start, end, depth, "FUNCTION in FILE ...") for each range, from dump."""
    ranges = []
    for line in run("llvm-lidia", "dump", "--ranges", archive).splitlines():
        match = RANGE.fullmatch(line)
        if match:
            start, end, depth, text = match.groups()
            ranges.append((int(start, 16), int(end, 16), int(depth), text))
    return ranges


def pick_addresses(ranges, sample):
    """The ends and the middle of each range, and their neighbours outside; or SAMPLE
    random ones, the same in each run, or fewer if the code has not as many."""
    if sample:
        rng = random.Random(1)
        addresses = set()
        for _ in range(4 * sample):
            if len(addresses) == sample:
                break
            start, end, _, _ = rng.choice(ranges)
            # One in a hundred is next to the range rather than in it.
            addresses.add(rng.randrange(start, max(end, start + 1))
                          if rng.randrange(100) else end)
    else:
        addresses = {a for start, end, _, _ in ranges
                     for a in (start - 1, start, (start + end) // 2, end - 1,
                               end)}
    return sorted(a for a in addresses if 0 <= a < 1 << 64)


def ask_go(archive, addresses, crc):
    options = ["-crc"] if crc else []
    out = run("go-reader", "lookup", *options, archive,
              input="".join(f"{a:#x}\n" for a in addresses))
    answers = {a: [] for a in addresses}
    for line in out.splitlines():
        address, function, file = line.split("\t")
        answers[int(address, 16)].append((function, file))
    return answers


def ask_llvm_lidia(archive, addresses, crc):
    options = ["--crc"] if crc else []
    out = run("llvm-lidia", "lookup", *options, "--output-style=JSON",
              "--no-demangle", archive,
              input="".join(f"{a:#x}\n" for a in addresses))
    answers = {}
    for address, line in zip(addresses, out.splitlines(), strict=True):
        frames = [(f["FunctionName"], f["FileName"])
                  for f in json.loads(line)["Symbol"]]
        # No frame is printed as an empty frame.
        answers[address] = [] if frames == [("", "")] else frames
    return answers


def enclosing(ranges, starts, address):
    """dump's text for the ranges that cover ADDRESS, innermost first, by the rule of
    the format."""
    texts = []
    for index in range(bisect.bisect_right(starts, address) - 1, -1, -1):
        start, end, depth, text = ranges[index]
        if start <= address < end:
            texts.append(text)
        if depth == 0:
            break
    return texts


def is_as_dumped(ranges, starts, address, frames):
    """Whether FRAMES, functions with files, are those that dump shows for ADDRESS."""
    texts = enclosing(ranges, starts, address)
    return len(texts) == len(frames) and all(
        is_dumped_as(text, *frame) for text, frame in zip(texts, frames))


def is_dumped_as(text, function, file):
    said = function or "??"
    if file:
        said += f" in {file}"
    return text == said or text.startswith((said + " called from ", said + " entry "))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crc", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--rows-of-other-files", action="store_true")
    parser.add_argument("archive")
    args = parser.parse_args()

    ranges = read_ranges(args.archive)
    starts = [r[0] for r in ranges]
    addresses = pick_addresses(ranges, args.sample)
    go = ask_go(args.archive, addresses, args.crc)
    ours = ask_llvm_lidia(args.archive, addresses, args.crc)

    frames = other_files = differences = 0
    for address in addresses:
        same = ([f for f, _ in go[address]] == [f for f, _ in ours[address]] and
                is_as_dumped(ranges, starts, address, go[address]))
        other = sum(g[1] != o[1] for g, o in zip(go[address], ours[address]))
        frames += len(go[address])
        other_files += other
        if same and (not other or args.rows_of_other_files):
            continue
        differences += 1
        if differences <= 5:
            print(f"{address:#x}:\n  Go:         {go[address]}\n"
                  f"  llvm-lidia: {ours[address]}\n"
                  f"  dump:       {enclosing(ranges, starts, address)}")
    print(f"{len(addresses)} addresses, {frames} frames, "
          f"{other_files} in a file that is not their range's, "
          f"{differences} differences")
    return 1 if differences or not frames else 0


if __name__ == "__main__":
    sys.exit(main())
