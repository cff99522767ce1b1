#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the share of addresses on real stacks for which return pads have an answer.

usage: stack-coverage.py [options] -- COMMAND [ARGUMENT...]

Runs COMMAND, samples it repeatedly with eu-stack (elfutils), which unwinds the stacks
of all threads, and looks each address up in the return pads of its file, whose archive
is made with --return-pads. The innermost address of a stack is the place where the
program was stopped, not a return address; it is counted separately. Missed addresses
are listed by cause.
"""

import argparse
import bisect
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

FRAME = re.compile(r"^#(\d+)\s+0x([0-9a-f]+)\s*(?:- 1\s+)?(\S*)")


def mappings(pid):
    """(start, end, file offset, path) of the process's code."""
    found = []
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            fields = line.split(None, 5)
            if "x" not in fields[1]:
                continue
            start, end = (int(x, 16) for x in fields[0].split("-"))
            path = fields[5].strip() if len(fields) > 5 else ""
            found.append((start, end, int(fields[2], 16), path))
    return sorted(found)


def segments(path):
    """(file offset, size, address) of the segments of a 64-bit ELF file."""
    with open(path, "rb") as file:
        header = file.read(64)
        if header[:5] != b"\x7fELF\x02":
            return []
        order = "<" if header[5] == 1 else ">"
        (at,) = struct.unpack_from(order + "Q", header, 32)
        size, count = struct.unpack_from(order + "HH", header, 54)
        file.seek(at)
        table = file.read(size * count)
    result = []
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(
            order + "IIQQQQ", table, i * size)
        if kind == 1:
            result.append((offset, length, address))
    return result


class File:
    """The return pads of one file; None if it has no archive."""

    def __init__(self, path, llvm_lidia, scratch):
        self.pads, self.named = None, set()
        self.segments = segments(path)
        archive = os.path.join(scratch, "archive")
        made = subprocess.run([llvm_lidia, "-q", "--return-pads", path, "-o", archive],
                              stderr=subprocess.DEVNULL)
        if made.returncode:
            return
        dump = subprocess.run([llvm_lidia, "dump", "--return-pads=json", archive],
                              stdout=subprocess.PIPE, check=True, text=True).stdout
        self.pads = set()
        for line in dump.splitlines():
            pad = json.loads(line)
            self.pads.add(int(pad["address"], 16))
            if pad["frames"]:
                self.named.add(int(pad["address"], 16))

    def address(self, offset):
        for start, size, address in self.segments:
            if start <= offset < start + size:
                return offset - start + address
        return None


class Census:
    def __init__(self, llvm_lidia, scratch):
        self.llvm_lidia, self.scratch = llvm_lidia, scratch
        self.files, self.counts = {}, collections.Counter()
        self.samples = []

    def record(self, pid):
        """Records the stacks of all threads; returns False once the process has ended."""
        try:
            maps = mappings(pid)
        except OSError:
            return False
        stacks = subprocess.run(["eu-stack", "-a", "-p", str(pid)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        frames = [m.groups() for m in map(FRAME.match, stacks.stdout.splitlines()) if m]
        if frames:
            self.samples.append((maps, frames))
        return bool(maps)

    def count(self):
        for maps, frames in self.samples:
            before = ""
            for depth, address, name in frames:
                self.counts[self.cause(maps, int(depth), int(address, 16), before)] += 1
                before = name

    def cause(self, maps, depth, address, before):
        if depth == 0:
            return "innermost"
        if before.startswith("__restore_rt"):
            return "missed: interrupted by a signal"
        at = bisect.bisect_right(maps, (address, 1 << 64)) - 1
        if at < 0 or address >= maps[at][1]:
            return "missed: what was unwound is no code"
        start, _, offset, path = maps[at]
        if path.startswith("["):
            return "missed: " + path
        if not path.startswith("/") or not os.path.isfile(path):
            return "missed: code without a file"
        if path not in self.files:
            self.files[path] = File(path, self.llvm_lidia, self.scratch)
        file = self.files[path]
        place = file.address(address - start + offset)
        if file.pads is None:
            return "missed: file without archive"
        if place in file.named:
            return "answered"
        if place in file.pads:
            return "answered: a call, of no known function"
        print(f"missed: {path} {place:#x}", file=sys.stderr)
        return "missed: not after a call"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.005,
                        help="seconds between samples (default: %(default)s)")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        census = Census(options.llvm_lidia, scratch)
        process = subprocess.Popen(options.command, stdout=subprocess.DEVNULL)
        while len(census.samples) < options.samples and process.poll() is None:
            time.sleep(options.pause)
            if not census.record(process.pid):
                break
        process.kill()
        process.wait()
        census.count()

    total = sum(census.counts.values()) - census.counts["innermost"]
    if not total:
        sys.exit("no stacks: is eu-stack (elfutils) installed, and may it attach?")
    print(f"{len(census.samples)} samples, {census.counts['innermost']} stacks, "
          f"{total} return addresses in {len(census.files)} files\n")
    print("| return addresses | count | share |\n| --- | --- | --- |")
    for cause, count in sorted(census.counts.items()):
        if cause != "innermost":
            print(f"| {cause} | {count} | {count / total:.2%} |")


if __name__ == "__main__":
    main()
