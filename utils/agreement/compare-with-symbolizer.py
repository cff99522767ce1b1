#!/usr/bin/env python3
"""Compares an archive with llvm-symbolizer, frame by frame.

    compare-with-symbolizer.py [options] BINARY [ARCHIVE]

Both are asked for the same random addresses of executable code. Every
difference is put into a class, whose reason docs/Agreement.md gives; what fits
no class is "unexplained" and printed. Without ARCHIVE one is made first. The
exit status is 0 when nothing is unexplained.
"""

import argparse
import bisect
import collections
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile


def find_tool(name):
    """The newest of the tools that Debian or a build call NAME."""
    folder = os.environ.get("LLVM_TOOLS_DIR", "/usr/lib/llvm-19/bin")
    path = os.path.join(folder, name)
    return path if os.path.exists(path) else name


def run(*command, **kwargs):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True, **kwargs).stdout


def read_sections(binary):
    """Executable sections as (start, size)."""
    headers = json.loads(run(find_tool("llvm-readelf"),
                             "--elf-output-style=JSON", "--sections", binary,
                             stderr=subprocess.DEVNULL))
    sections = []
    for entry in headers[0]["Sections"]:
        section = entry["Section"]
        flags = {flag["Name"] for flag in section["Flags"]["Flags"]}
        if {"SHF_EXECINSTR", "SHF_ALLOC"} <= flags and section["Size"]:
            sections.append((section["Address"], section["Size"]))
    return sections


def files_of(llvm_lidia, binary):
    """The binary and the separate debug file that is found for it."""
    statistics = json.loads(run(llvm_lidia, "--statistics=json", "--quiet",
                                "-o", os.devnull, binary))
    return [f["path"] for f in statistics["files"] if f["foundBy"] != "section"]


def read_symbols(files):
    """Names of function symbols by address, as llvm-nm shows them."""
    symbols = collections.defaultdict(set)
    for file, options in itertools.product(files, ([], ["--dynamic"])):
        out = subprocess.run([find_tool("llvm-nm"), "--no-demangle", *options,
                              file],
                             stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
        for line in out.splitlines():
            fields = line.split(maxsplit=2)
            if len(fields) == 3:
                symbols[int(fields[0], 16)].add(fields[2])
    return symbols


def sample(sections, count, seed):
    rng = random.Random(seed)
    weights = [size for _, size in sections]
    picks = rng.choices(sections, weights, k=count)
    return sorted(start + rng.randrange(size) for start, size in picks)


def symbolize(command, addresses):
    """For each address the list of frames, outermost last."""
    text = "".join(f"{a:#x}\n" for a in addresses)
    out = run(*command, "--output-style=JSON", "--no-demangle", input=text)
    answers = []
    for line in out.splitlines():
        frames = [(f["FunctionName"], f["FileName"], f["Line"], f["Column"])
                  for f in json.loads(line).get("Symbol", [])]
        # No frame, and a frame that says nothing, are the same answer.
        if all(not f[0] and not f[1] for f in frames):
            frames = []
        answers.append(frames)
    return answers


def unversioned(name):
    return name.split("@")[0] if not name.startswith("@") else name


class Comparison:
    def __init__(self, sections, symbols, columns):
        self.sections = sections
        self.addresses = sorted(symbols)
        self.all_symbols = {unversioned(n) for s in symbols.values() for n in s}
        self.aliases = {}
        for names in symbols.values():
            group = frozenset(unversioned(n) for n in names)
            for name in group:
                self.aliases.setdefault(name, set()).update(group)
        self.columns = columns
        self.frames = 0
        self.equal_frames = 0
        self.equal = 0
        self.classes = collections.Counter()
        self.examples = collections.defaultdict(list)

    def reaches_past_section(self, address):
        """Whether the last symbol before ADDRESS is in another section."""
        before = bisect.bisect_right(self.addresses, address) - 1
        def section(a):
            return next((s for s in self.sections if s[0] <= a < s[0] + s[1]),
                        None)
        return (before >= 0 and
                section(self.addresses[before]) != section(address))

    def name_class(self, theirs, ours, outermost):
        """Why two names of one frame differ; None when they are equal."""
        if theirs == ours or unversioned(theirs) == ours:
            return None
        if not theirs and outermost and ours in self.all_symbols:
            return "debug-file-symbol"
        if ours.endswith("::" + theirs):
            return "scopes"
        if outermost and theirs.startswith(ours + "."):
            return "symbol-suffix"
        if outermost and unversioned(theirs) in self.all_symbols:
            if ours in self.aliases.get(unversioned(theirs), ()):
                return "alias"
            return "symbol-name"
        return "unexplained-name"

    def difference(self, address, theirs, ours):
        """The class of the difference between two answers; None if equal."""
        if ours and ours[-1][0].endswith("@plt") and theirs != ours:
            return "plt"
        if not theirs and ours:
            return "only-archive"
        if theirs and not ours:
            last = theirs[-1]
            if not last[0]:
                return "padding"
            if self.reaches_past_section(address):
                return "symbol-past-section"
            return "unexplained-missing"
        if len(theirs) != len(ours):
            if not theirs[-1][0] or len(theirs) == 1 and not theirs[0][1]:
                return "symbolizer-lost-unit"
            return "unexplained-depth"
        found = None
        for i, (t, o) in enumerate(zip(theirs, ours)):
            self.frames += 1
            name = self.name_class(t[0], o[0], i == len(theirs) - 1)
            position = t[1:4] == o[1:4] if self.columns else t[1:3] == o[1:3]
            if not name and position:
                self.equal_frames += 1
                continue
            if not position:
                if not t[2] and not o[2]:
                    found = found or "line-0-file"
                elif not t[0]:
                    found = found or "symbolizer-lost-unit"
                else:
                    return "unexplained-position"
            if name and name.startswith("unexplained"):
                return name
            found = found or name
        return found

    def add(self, address, theirs, ours):
        kind = self.difference(address, theirs, ours)
        if not kind:
            self.equal += 1
            return
        self.classes[kind] += 1
        if len(self.examples[kind]) < 3:
            self.examples[kind].append((address, theirs, ours))


def report(comparison, total, verbose):
    print(f"{total} addresses, {comparison.equal} equal "
          f"({100 * comparison.equal / total:.3f} %)")
    bad = 0
    for kind, count in comparison.classes.most_common():
        print(f"  {kind}: {count} ({100 * count / total:.3f} %)")
        unexplained = kind.startswith("unexplained")
        bad += count if unexplained else 0
        if not (unexplained or verbose):
            continue
        for address, theirs, ours in comparison.examples[kind]:
            print(f"    {address:#x}")
            for side, frames in (("symbolizer", theirs), ("archive", ours)):
                for frame in frames or ["nothing"]:
                    print(f"      {side}: {frame}")
    print(f"unexplained: {bad}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("archive", nargs="?")
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--columns", action="store_true",
                        help="compare columns, too")
    parser.add_argument("--verbose", action="store_true",
                        help="show examples of every class")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        archive = options.archive
        if not archive:
            archive = os.path.join(folder, "archive.lidia")
            run(options.llvm_lidia, "--crc",
                "--columns" if options.columns else "--lines",
                "-o", archive, options.binary)
        sections = read_sections(options.binary)
        addresses = sample(sections, options.count, options.seed)
        theirs = symbolize([find_tool("llvm-symbolizer"), "-e",
                            options.binary], addresses)
        ours = symbolize([options.llvm_lidia, "lookup", archive], addresses)

        files = files_of(options.llvm_lidia, options.binary)

    comparison = Comparison(sections, read_symbols(files), options.columns)
    for address, their, our in zip(addresses, theirs, ours, strict=True):
        comparison.add(address, their, our)
    return 1 if report(comparison, len(addresses), options.verbose) else 0


if __name__ == "__main__":
    sys.exit(main())
