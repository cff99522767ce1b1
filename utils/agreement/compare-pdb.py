#!/usr/bin/env python3
"""Compares the archive of a PE file that has a PDB file with llvm-symbolizer.

    compare-pdb.py [options] BINARY

Both look up the same random addresses of executable code, or all addresses if there are
fewer. llvm-symbolizer uses its native PDB reader. Every difference is assigned to a
class, which docs/Agreement.md explains. Differences that fit no class are "unexplained"
and printed. The exit status is 0 if nothing is unexplained.
"""

import bisect
import collections
import importlib
import json
import os
import re
import sys
import tempfile

symbolizer = importlib.import_module("compare-with-symbolizer")


def without_parameters(name):
    """A function's name, as llvm-symbolizer writes it, without its parameters."""
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += name[at] == ")"
        depth -= name[at] == "("
        if name[at] == "(" and depth == 0:
            name = name[:at]
            break
    return name


def same_text(name):
    """NAME in a spelling that both share: the mangled name has no spaces, and has types
    in full."""
    name = name.replace("destructor'", "dtor'").removeprefix("[thunk]: ")
    name = re.sub(r"`vtordisp\{.*?\}'|`adjustor\{.*?\}'", "", name)
    return re.sub(r"\s|class|struct|enum|union|\bconst\b|`|'|\?A0x[0-9a-f]+", "", name)


def own_name(name):
    """The last part of a name, without template arguments."""
    kept, depth = [], 0
    for c in name.replace("operator<<", "operatorLL").replace("operator<", "operatorL"):
        depth += c == "<"
        if not depth:
            kept.append(c)
        depth -= c == ">" and depth > 0
    return "".join(kept).rpartition("::")[2]


class Publics:
    """The linker's symbols of code: several names can have one address."""

    def __init__(self, pdb, sections):
        self.names = collections.defaultdict(set)
        dump = symbolizer.run(symbolizer.find_tool("llvm-pdbutil"), "dump", "-publics", pdb)
        for name, flags, section, offset in re.findall(
                r"S_PUB32 \[size = \d+\] `(.*)`\n +flags = (.*), addr = (\d+):(\d+)", dump):
            start = sections.get(int(section))
            if start is not None:
                self.names[start + int(offset)].add(name)
        self.addresses = sorted(self.names)

    def at(self, address):
        """The names of the last symbol at or before ADDRESS."""
        before = bisect.bisect_right(self.addresses, address) - 1
        return self.names[self.addresses[before]] if before >= 0 else set()


def section_starts(binary):
    """The addresses of a PE file's sections by number, which begins at 1."""
    out = symbolizer.run(symbolizer.find_tool("llvm-readobj"), "--file-headers",
                         "--sections", binary)
    base = int(re.search(r"ImageBase: (0x[0-9A-Fa-f]+)", out).group(1), 16)
    return {i + 1: base + int(a, 16) for i, a in
            enumerate(re.findall(r"VirtualAddress: (0x[0-9A-Fa-f]+)", out))}


def name_class(theirs, ours, publics):
    """The reason why two names differ; None if they are equal."""
    if theirs == ours:
        return None
    bare = without_parameters(theirs)
    if same_text(bare) == same_text(ours) or bare.lstrip("_").split("@")[0] == ours:
        return "parameters"
    if own_name(same_text(bare)) == own_name(same_text(ours)):
        return "spelling"
    # llvm-symbolizer also removes C's i386 decoration from names that have none.
    if bare.lstrip("_@") == ours.lstrip("_@"):
        return "underscore"
    if len(publics) > 1:
        return "folded"
    return "unexplained-name"


def difference(theirs, ours, publics, columns):
    """The class of the difference between two answers; None if they are equal."""
    if theirs and not ours:
        if not theirs[0][2]:
            return "padding"
        return "assembly" if theirs[0][1].endswith(".asm") else "unexplained-missing"
    if ours and not theirs:
        return "unexplained-extra"
    if len(theirs) != len(ours):
        return "unexplained-depth"
    found = None
    for i, (their, our) in enumerate(zip(theirs, ours)):
        outermost = i == len(theirs) - 1
        name = name_class(their[0], our[0], publics if outermost else ())
        end = 4 if columns else 3
        if their[1:end] != our[1:end]:
            # llvm-symbolizer reports a debugger's step marks as lines.
            if their[2] in (0xfeefee, 0xf00f00) and not our[2]:
                found = "step-mark"
                continue
            return "unexplained-position"
        if name and name.startswith("unexplained"):
            return name
        found = found or name
    return found


def answers(command, addresses):
    out = symbolizer.run(*command, "--output-style=JSON", input="".join(
        f"{a:#x}\n" for a in addresses))
    result = []
    for line in out.splitlines():
        frames = [(f["FunctionName"], f["FileName"], f["Line"], f["Column"])
                  for f in json.loads(line).get("Symbol", [])]
        result.append([] if all(not f[0] and not f[1] for f in frames) else frames)
    return result


def settle_first_rows(binary, addresses, ours, kinds):
    """If two rows have the same address, llvm-symbolizer uses the first one at that
    address, and the second one for the rest of the instruction."""
    asked = [i for i, kind in enumerate(kinds) if kind == "unexplained-position"]
    after = answers([symbolizer.find_tool("llvm-symbolizer"), "-e", binary],
                    [addresses[i] + 1 for i in asked])
    for i, frames in zip(asked, after, strict=True):
        if [f[1:3] for f in frames] == [f[1:3] for f in ours[i]]:
            kinds[i] = "first-row"


def arbiter_answers(command, binary, pdb, addresses):
    """Like answers(), by utils/pdb-reader, which expects offsets from the image base."""
    base = symbolizer.run(symbolizer.find_tool("llvm-readobj"), "--file-headers", binary)
    base = int(re.search(r"ImageBase: (0x[0-9A-Fa-f]+)", base).group(1), 16)
    out = symbolizer.run(command, pdb, input="".join(f"{a - base:x}\n" for a in addresses))
    result = []
    frames = []
    for line in out.splitlines():
        if line == "end":
            result.append(frames)
            frames = []
            continue
        name, file, number, column = line.rsplit("|", 3)
        if name or file:
            frames.append((name, file, int(number), int(column)))
    return result


def is_same(theirs, ours):
    """Whether the arbiter's frames are OURS. The arbiter has no columns. For functions
    that a compiler generated, which have no lines, it returns the line of another
    function."""
    return len(theirs) == len(ours) and all(
        own_name(without_parameters(t[0])) == own_name(o[0]) and
        (t[1:3] == o[1:3] or not o[2] and o is ours[-1])
        for t, o in zip(theirs, ours))


def main():
    parser = symbolizer.argument_parser()
    parser.description = __doc__.splitlines()[0]
    parser.add_argument("binary")
    parser.add_argument("--arbiter", help="the program of utils/pdb-reader, which decides "
                        "where the others differ")
    parser.add_argument("--pdb", help="the PDB file, if it is not beside BINARY")
    options = parser.parse_args()
    pdb = options.pdb or os.path.splitext(options.binary)[0] + ".pdb"
    sections = symbolizer.read_sections(options.binary)
    addresses = symbolizer.sample(sections, options.count, options.seed)
    publics = Publics(pdb, section_starts(options.binary))
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "archive.lidia")
        symbolizer.run(options.llvm_lidia, "--columns", "--debug-file", pdb, "-o", archive,
                       options.binary)
        theirs = answers([symbolizer.find_tool("llvm-symbolizer"), "-e", options.binary],
                         addresses)
        ours = answers([options.llvm_lidia, "lookup", archive], addresses)
    classes, examples, equal = collections.Counter(), collections.defaultdict(list), 0
    kinds = [difference(their, our, publics.at(address), options.columns)
             for address, their, our in zip(addresses, theirs, ours, strict=True)]
    settle_first_rows(options.binary, addresses, ours, kinds)
    asked = [i for i, kind in enumerate(kinds) if kind and kind.startswith("unexplained")]
    if options.arbiter and asked:
        decided = arbiter_answers(options.arbiter, options.binary, pdb,
                                  [addresses[i] for i in asked])
        for i, frames in zip(asked, decided, strict=True):
            if is_same(frames, ours[i]):
                kinds[i] = "arbiter"
            else:
                theirs[i] = theirs[i] + [("arbiter:", "", 0, 0)] + frames
    for address, their, our, kind in zip(addresses, theirs, ours, kinds, strict=True):
        if not kind:
            equal += 1
            continue
        classes[kind] += 1
        if len(examples[kind]) < 3:
            examples[kind].append((address, their, our))
    return 1 if report(len(addresses), equal, classes, examples, options.verbose) else 0


def report(total, equal, classes, examples, verbose):
    print(f"{total} addresses, {equal} equal ({100 * equal / total:.3f} %)")
    for kind, count in classes.most_common():
        print(f"  {kind}: {count} ({100 * count / total:.3f} %)")
        if not (kind.startswith("unexplained") or verbose):
            continue
        for address, their, our in examples[kind]:
            print(f"    {address:#x}")
            for side, frames in (("symbolizer", their), ("archive", our)):
                for frame in frames or ["nothing"]:
                    print(f"      {side}: {frame}")
    bad = sum(n for kind, n in classes.items() if kind.startswith("unexplained"))
    print(f"unexplained: {bad}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
