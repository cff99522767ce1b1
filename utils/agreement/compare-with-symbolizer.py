#!/usr/bin/env python3
"""Compares an archive with llvm-symbolizer, frame by frame.

    compare-with-symbolizer.py [options] BINARY [ARCHIVE]

Both look up the same random addresses of executable code, or all addresses if there are
fewer. Every difference is assigned to a class, which docs/Agreement.md explains.
Differences that fit no class are "unexplained" and printed. Without ARCHIVE, the script
first makes one. The exit status is 0 if nothing is unexplained.
"""

import argparse
import bisect
import collections
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from binary_formats import (code_sections_shown, exports_shown, format_of,
                            hide_symbols, pe_symbols_shown, plain_name_function)


def find_tool(name):
    """The path of LLVM's tool NAME in the newest version that Debian or a build has."""
    folder = os.environ.get("LLVM_TOOLS_DIR", "/usr/lib/llvm-19/bin")
    path = os.path.join(folder, name)
    return path if os.path.exists(path) else name


def run(*command, **kwargs):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True, **kwargs).stdout


def read_sections(binary):
    """The executable sections as (start, size)."""
    if format_of(binary) != "elf":
        return code_sections_shown(run(find_tool("llvm-objdump"),
                                       "--section-headers", binary))
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


def files_of(llvm_lidia, binary, options=()):
    """The binary and the separate debug file that was found for it."""
    statistics = json.loads(run(llvm_lidia, "--statistics=json", "--quiet",
                                *options, "-o", os.devnull, binary))
    return [f["path"] for f in statistics["files"] if f["foundBy"] != "section"]


def directory_options(options):
    """--debug-file-directory in the spelling that both tools accept."""
    return [f"--debug-file-directory={d}"
            for d in options.debug_file_directory]


def read_symbols(files):
    """The symbols by address, from llvm-nm: {name: (size, type)}."""
    if format_of(files[0]) == "pe":
        return read_pe_symbols(files)
    symbols = collections.defaultdict(dict)
    plain_name = plain_name_function(files[0])
    is_elf = format_of(files[0]) == "elf"
    for file, options in itertools.product(files, ([], ["--dynamic"])):
        out = subprocess.run([find_tool("llvm-nm"), "--no-demangle",
                              "--format=sysv", "--defined-only", *options,
                              file],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True).stdout
        for line in out.splitlines():
            fields = [field.strip() for field in line.rsplit("|", 6)]
            # Indirect symbols of Mach-O files, and those of bitcode, have no address.
            if len(fields) == 7 and fields[1].strip("-"):
                name, address, letter, kind, size, _, _ = fields
                if not is_elf and letter in ("T", "t") and name[0] != ".":
                    kind = "FUNC"
                name = unversioned(plain_name(name))
                symbols[int(address, 16)][name] = (int(size, 16), kind)
    return symbols


def read_pe_symbols(files):
    """Like read_symbols. llvm-nm omits static functions that were COMDATs."""
    symbols = collections.defaultdict(dict)
    plain_name = plain_name_function(files[0])
    for file in files:
        shown = subprocess.run([find_tool("llvm-objdump"), "--section-headers",
                                "--syms", file], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True,
                               errors="replace").stdout
        for address, name, is_function in pe_symbols_shown(shown):
            symbols[address][unversioned(plain_name(name))] = (
                0, "FUNC" if is_function else "")
    if not symbols:
        shown = run(find_tool("llvm-readobj"), "--coff-exports", files[0])
        for address, name in exports_shown(files[0], shown):
            symbols[address][plain_name(name)] = (0, "FUNC")
    return symbols


def read_sequences(binary):
    """The sequences of all line tables, as lists of (address, line, column)."""
    sequences = [[]]
    out = run(find_tool("llvm-dwarfdump"), "--debug-line", binary)
    for line in out.splitlines():
        if not line.startswith("0x"):
            continue
        fields = line.split()
        sequences[-1].append((int(fields[0], 16), int(fields[1]),
                              int(fields[2])))
        if fields[-1] == "end_sequence":
            sequences.append([])
    return sequences[:-1]


def is_arm(binary):
    if format_of(binary) != "elf":
        return False
    with open(binary, "rb") as f:
        header = f.read(20)
    order = "little" if header[5] == 1 else "big"
    return int.from_bytes(header[18:20], order) == 40  # EM_ARM


def sample(sections, count, seed):
    rng = random.Random(seed)
    weights = [size for _, size in sections]
    if sum(weights) <= count:
        return sorted(a for start, size in sections
                      for a in range(start, start + size))
    picks = rng.choices(sections, weights, k=count)
    return sorted(start + rng.randrange(size) for start, size in picks)


def symbolize(command, addresses, plain_name=lambda name: name):
    """The list of frames for each address, outermost last."""
    text = "".join(f"{a:#x}\n" for a in addresses)
    out = run(*command, "--output-style=JSON", "--no-demangle", input=text)
    answers = []
    for line in out.splitlines():
        frames = [(f["FunctionName"], f["FileName"], f["Line"], f["Column"])
                  for f in json.loads(line).get("Symbol", [])]
        # An empty list and an empty frame are the same answer.
        if all(not f[0] and not f[1] for f in frames):
            frames = []
        # Only the outermost function's name may be that of a symbol.
        if frames and not frames[-1][0].startswith("_Z"):
            frames[-1] = (plain_name(frames[-1][0]), *frames[-1][1:])
        answers.append(frames)
    return answers


def unversioned(name):
    # Names from MSVC also contain "@".
    return name if name.startswith(("@", "?")) else name.split("@")[0]


class Comparison:
    # Classes in which llvm-symbolizer takes the outermost function's name from a
    # symbol.
    BY_SYMBOL = {"symbol-name", "symbol-no-function", "symbol-suffix"}

    def __init__(self, files, sections, columns):
        self.binary = files[0]
        # The lines are in the separate debug file, if there is one.
        self.debug_file = files[-1]
        self.sections = sections
        self.symbols = read_symbols(files)
        # Symbols that only a separate debug file has.
        own = set()
        for names in read_symbols(files[:1]).values():
            own.update(names)
        self.debug_file_names = {name for names in self.symbols.values()
                                 for name in names} - own
        self.addresses = sorted(self.symbols)
        self.places = collections.defaultdict(list)
        self.functions = set()
        for start, names in self.symbols.items():
            for name, (size, kind) in names.items():
                self.places[name].append((start, size))
                if kind.endswith("FUNC"):
                    self.functions.add(name)
        self.starts = sorted(start for start, names in self.symbols.items()
                             if self.functions & names.keys())
        self.columns = columns
        self.sequences = None
        self.linkage_names = None
        self.frames = 0
        self.equal_frames = 0
        self.equal = 0
        self.classes = collections.Counter()
        self.examples = collections.defaultdict(list)
        self.is_elf = format_of(self.binary) == "elf"
        self.by_symbol = []
        self.padding = []

    def is_alias(self, a, b):
        """Whether two symbols have the same address."""
        return any(b in self.symbols[start] for start, _ in self.places[a])

    def covers(self, name, address):
        """Whether the symbol NAME covers ADDRESS according to its size. A symbol
        without a size extends to the next function."""
        def end(start, size):
            if size:
                return start + size
            after = bisect.bisect_right(self.starts, start)
            return (self.starts[after] if after < len(self.starts) else
                    float("inf"))
        return any(start <= address < end(start, size)
                   for start, size in self.places[name])

    def whole_rows_at(self, address):
        """The row at ADDRESS in each of the line sequences that contain it."""
        if self.sequences is None:
            self.sequences = read_sequences(self.debug_file)
        for sequence in self.sequences:
            at = bisect.bisect(sequence, address, key=lambda row: row[0]) - 1
            if 0 <= at < len(sequence) - 1:
                yield sequence[at]

    def rows_at(self, address):
        """(line, column) in each of the line sequences that contain ADDRESS."""
        return (row[1:] for row in self.whole_rows_at(address))

    def row_begins_before(self, name, address):
        """Whether the row at ADDRESS, in the symbol NAME, begins before NAME."""
        start = max((start for start, _ in self.places[name]
                         if start <= address), default=None)
        return start is not None and any(
            row[0] < start for row in self.whole_rows_at(address))

    def is_row(self, address, frame):
        """Whether the line table has a frame's position at ADDRESS."""
        rows = list(self.rows_at(address))
        if self.columns:
            return frame[2:4] in rows
        return frame[2] in (line for line, _ in rows)

    def is_no_function(self, name):
        """Whether the symbol NAME is not a function symbol."""
        name = unversioned(name)
        return name in self.places and name not in self.functions

    def is_linkage_name(self, name):
        """Whether a symbol of the debug file has the linkage name NAME, except for the
        suffix of a clone."""
        if self.linkage_names is None:
            self.linkage_names = {symbol.split(".")[0]
                                  for symbol in self.debug_file_names}
        return name.startswith("_Z") and name in self.linkage_names

    def reaches_past_section(self, address):
        """Whether the last symbol before ADDRESS is in another section."""
        before = bisect.bisect_right(self.addresses, address) - 1
        def section(a):
            return next((s for s in self.sections if s[0] <= a < s[0] + s[1]),
                        None)
        return (before >= 0 and
                section(self.addresses[before]) != section(address))

    def name_class(self, address, theirs, ours, outermost):
        """The reason why two names of one frame differ; None if they are equal."""
        if theirs == ours or unversioned(theirs) == unversioned(ours):
            return None
        if (not theirs and outermost and ours in self.debug_file_names and
                self.covers(ours, address)):
            return "debug-file-symbol"
        if ours.endswith("::" + theirs):
            return "scopes"
        if (outermost and not theirs.startswith("_Z") and
                self.is_linkage_name(ours)):
            return "debug-file-symbol"
        if outermost and theirs.startswith(ours + "."):
            return "symbol-suffix"
        if outermost and self.is_no_function(theirs):
            return "symbol-no-function"
        if outermost and unversioned(theirs) in self.places:
            # For example C2.cold, a piece of one constructor, and C1, the other
            # constructor.
            whole = unversioned(theirs).removesuffix(".cold")
            if self.is_alias(whole, ours):
                return "alias"
            return "symbol-name"
        if outermost and not theirs and self.covers(ours, address):
            return "only-archive"
        return "unexplained-name"

    def has_zdebug(self):
        """Whether the lines are compressed in GNU as's form from before the standard."""
        with open(self.binary, "rb") as file:
            return b".zdebug_line\0" in file.read()

    def difference(self, address, theirs, ours):
        """The class of the difference between two answers; None if equal."""
        if ours and ours[-1][0].endswith("@plt") and theirs != ours:
            return "plt"
        if not theirs and ours:
            if self.covers(ours[-1][0], address):
                return ("debug-file-symbol"
                        if ours[-1][0] in self.debug_file_names else
                        "only-archive")
            if len(ours) == 1 and not ours[0][0] and self.is_row(address,
                                                                 ours[0]):
                return "symbolizer-lost-unit"
            return "unexplained-extra"
        if theirs and not ours:
            last = theirs[-1]
            if not last[0]:
                return "padding"
            if self.reaches_past_section(address):
                return "symbol-past-section"
            if self.is_no_function(last[0]):
                return "symbol-no-function"
            # GNU as keeps the Thumb bit in DWARF addresses.
            if (is_arm(self.binary) and not self.covers(last[0], address) and
                    self.covers(last[0], address - 1)):
                return "thumb-bit"
            return "unexplained-missing"
        if len(theirs) != len(ours):
            if not theirs[-1][0] or len(theirs) == 1 and not theirs[0][1]:
                return "symbolizer-lost-unit"
            return "unexplained-depth"
        found = None
        for i, (t, o) in enumerate(zip(theirs, ours)):
            self.frames += 1
            name = self.name_class(address, t[0], o[0],
                                   i == len(theirs) - 1)
            position = t[1:4] == o[1:4] if self.columns else t[1:3] == o[1:3]
            if not name and position:
                self.equal_frames += 1
                continue
            if not position:
                if not t[2] and not o[2]:
                    found = found or "line-0-file"
                elif not t[0] or (not t[1] and self.is_row(address, o)):
                    found = found or "symbolizer-lost-unit"
                elif (not self.is_elf and len(ours) == 1 and not o[2] and
                      name in (None, "symbol-no-function")):
                    # The symbol has no size and extends over the padding.
                    return "padding"
                elif (len(ours) == 1 and not o[2] and
                      self.row_begins_before(o[0], address)):
                    found = found or "row-before"
                elif (i == 0 and len(list(self.rows_at(address))) > 1 and
                      self.is_row(address, o)):
                    found = found or "other-sequence"
                elif not t[1] and self.has_zdebug():
                    found = found or "zdebug"
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
        elif kind in self.BY_SYMBOL:
            self.by_symbol.append((kind, address, theirs, ours))
        elif kind == "padding":
            self.padding.append((address, theirs, ours))
        else:
            self.count(kind, address, theirs, ours)

    def count(self, kind, address, theirs, ours):
        self.classes[kind] += 1
        if len(self.examples[kind]) < 3:
            self.examples[kind].append((address, theirs, ours))

    def finish_padding(self, ask_theirs, ask_ours):
        """Settles the class "padding": the row that covers the padding must begin in
        the function before it, if that is near."""
        near = sorted({before for address, _, _ in self.padding
                       for before in range(max(address - 64, 0), address)})
        answers = dict(zip(near, ask_ours(near), strict=True))
        def known(frames):
            return frames and (self.is_elf or frames[0][2])
        ends = [next((before for before in range(address - 1, address - 65, -1)
                      if known(answers.get(before))), None)
                for address, _, _ in self.padding]
        places = sorted({end for end in ends if end is not None})
        rows = dict(zip(places, ask_theirs(places), strict=True))
        for (address, theirs, ours), end in zip(self.padding, ends,
                                                strict=True):
            def row(frames):
                return os.path.basename(frames[0][1]), frames[0][2]
            before = rows.get(end)
            # A reader may have no row but only a symbol of any size.
            good = before and (row(before) == row(theirs) or not theirs[0][1]
                               and before[-1][0] == theirs[-1][0])
            self.count("padding" if good else "unexplained-missing", address,
                       theirs, ours)

    def finish(self, without_symbols):
        """Settles names that a symbol hid. WITHOUT_SYMBOLS returns the names that the
        debug information alone has for the functions at such addresses."""
        names = without_symbols([entry[1] for entry in self.by_symbol])
        for (kind, address, theirs, ours), frames in zip(self.by_symbol, names,
                                                         strict=True):
            name = frames[-1][0] if frames else ""
            our = ours[-1][0] if ours else ""
            if our and not name and kind != "symbol-no-function":
                kind = "symbolizer-lost-unit"
                self.count(kind, address, theirs, ours)
                continue
            # An archive has the linkage name of a clone without its suffix.
            if not (our == name or name and our.endswith("::" + name) or
                    self.covers(our, address) or
                    kind == "symbol-suffix" and our.startswith("_Z")):
                kind = "unexplained-name"
            self.count(kind, address, theirs, ours)


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


def compare(binary, options):
    """Compares the archive of BINARY, options.archive or a new one, with
    llvm-symbolizer. Returns the comparison and the number of addresses."""
    directories = directory_options(options)
    with tempfile.TemporaryDirectory() as folder:
        archive = options.archive
        if not archive:
            archive = os.path.join(folder, "archive.lidia")
            run(options.llvm_lidia, "--crc",
                "--columns" if options.columns else "--lines",
                *directories, "-o", archive, binary)
        sections = read_sections(binary)
        addresses = sample(sections, options.count, options.seed)
        symbolizer = [find_tool("llvm-symbolizer"), *directories, "-e"]
        # llvm-symbolizer removes the characters that Mach-O adds to names.
        plain_name = (plain_name_function(binary)
                      if format_of(binary) == "pe" else
                      lambda name: name)
        theirs = symbolize([*symbolizer, binary], addresses, plain_name)
        ours = symbolize([options.llvm_lidia, "lookup", "--rust-names=llvm", archive],
                         addresses)
        files = files_of(options.llvm_lidia, binary, directories)
        comparison = Comparison(files, sections, options.columns)
        for address, their, our in zip(addresses, theirs, ours, strict=True):
            comparison.add(address, their, our)

        def without_symbols(at):
            bare = os.path.join(folder, "bare")
            shutil.copyfile(binary, bare)
            hide_symbols(bare)
            return symbolize([*symbolizer, bare], at)
        if comparison.by_symbol:
            comparison.finish(without_symbols)
        if comparison.padding:
            comparison.finish_padding(
                lambda at: symbolize([*symbolizer, binary], at, plain_name),
                lambda at: symbolize([options.llvm_lidia, "lookup",
                                      "--rust-names=llvm", archive], at))
    return comparison, len(addresses)


def argument_parser():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--debug-file-directory", action="append", default=[],
                        help="where both look for debug files")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--columns", action="store_true",
                        help="compare columns, too")
    parser.add_argument("--verbose", action="store_true",
                        help="show examples of every class")
    return parser


def main():
    parser = argument_parser()
    parser.add_argument("binary")
    parser.add_argument("archive", nargs="?")
    options = parser.parse_args()
    comparison, total = compare(options.binary, options)
    return 1 if report(comparison, total, options.verbose) else 0


if __name__ == "__main__":
    sys.exit(main())
