#!/usr/bin/env python3
"""Compares an archive with eu-addr2line or gimli's addr2line, frame by frame.

    compare-with-addr2line.py [options] FILE [ARCHIVE]

For files that llvm-symbolizer cannot read: eu-addr2line (elfutils) follows dwz's
.gnu_debugaltlink and reads .gnu_debugdata, and --sup names the supplementary file for
gimli's addr2line. FILE is a binary whose debug file eu-addr2line finds, or a file that
contains the debug information itself. The addresses and the classes of differences are
those of compare-with-symbolizer.py; docs/Agreement.md explains the reasons. The exit
status is 0 if nothing is unexplained.
"""

import argparse
import importlib.util
import os
import posixpath
import shutil
import subprocess
import sys
import tempfile


def load_sibling(name):
    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        name.replace("-", "_"), os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


common = load_sibling("compare-with-symbolizer")


def position(text):
    """The file and line in "file:line", "file:line:column" and their decorated forms."""
    text = text.split(" (discriminator")[0]
    parts = text.split(":")
    while len(parts) > 2 and parts[-1].isdigit() and parts[-2].isdigit():
        parts.pop()
    line = parts.pop() if len(parts) > 1 else "0"
    file = ":".join(parts)
    return ("" if file == "??" else file, int(line) if line.isdigit() else 0, 0)


def ask(command, addresses):
    """The list of frames for each address, outermost last."""
    text = "".join(f"{a:#x}\n" for a in addresses)
    # eu-addr2line's exit status shows only that some addresses are unknown.
    out = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    answers = []
    lines = iter(out.splitlines())
    for line in lines:
        if line.startswith("0x"):
            answers.append([])
            continue
        name = line.split(" inlined at ")[0]
        answers[-1].append(("" if name == "??" else name,
                            *position(next(lines, "??:0"))))
    for frames in answers:
        if all(not f[0] and not f[1] for f in frames):
            frames.clear()
    return answers


def tidy(theirs, ours):
    """Both answers with normalized paths, because readers differ in their treatment of
    ".." and of relative directories."""
    def norm(frames):
        return [(name, posixpath.normpath(file) if file else "", line, 0)
                for name, file, line, _ in frames]
    theirs, ours = norm(theirs), norm(ours)
    for i, (their, our) in enumerate(zip(theirs, ours)):
        if their[1].endswith("/" + our[1]) or our[1].endswith("/" + their[1]):
            theirs[i] = (their[0], our[1], their[2], 0)
    return theirs, ours


class Comparison(common.Comparison):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.unexplained = []

    def count(self, kind, address, theirs, ours):
        if kind.startswith("unexplained"):
            self.unexplained.append((kind, address, theirs, ours))
        else:
            super().count(kind, address, theirs, ours)

    def arbitrate(self, third):
        """Counts the unexplained differences for which THIRD has another opinion."""
        for (kind, address, theirs, ours), answer in zip(
                self.unexplained, third, strict=True):
            theirs_and_ours = tidy(answer, ours)
            if answer and self.difference(address, *theirs_and_ours) in (
                    None, "scopes", "symbol-suffix", "alias"):
                kind = "arbiter"
            super().count(kind, address, theirs, ours)

    def difference(self, address, theirs, ours):
        if theirs and ours:
            outermost = self.name_class(address, theirs[-1][0], ours[-1][0],
                                        True)
            known = not (outermost or "").startswith("unexplained")
            # Only a symbol and a row: the reader did not find the unit. The row is that
            # of the innermost frame.
            if (len(theirs) == 1 < len(ours) and known and
                    theirs[0][1:3] == ours[0][1:3]):
                return "reader-lost-calls"
            # libdw extends the last row to the following code.
            if len(ours) == 1 and known and not ours[0][2] and theirs[0][2]:
                return "row-before"
        if theirs and not ours and self.reaches_past_section(address):
            return "symbol-past-section"
        # Both extend the last row or the last symbol to the following code.
        if theirs and (not ours or not ours[-1][0]) and (
                len(theirs) == 1 or not theirs[0][0]):
            return "padding"
        return super().difference(address, theirs, ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("archive", nargs="?")
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--reader", default="eu-addr2line",
                        help="eu-addr2line (the default) or gimli's addr2line")
    parser.add_argument("--arbiter", help="gimli's addr2line, as a third opinion")
    parser.add_argument("--sup", help="the supplementary file, for gimli's")
    parser.add_argument("--debug-file-directory", action="append", default=[],
                        help="where debug files are looked for (not gimli's)")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true",
                        help="show examples of every class")
    options = parser.parse_args()
    directories = common.directory_options(options)

    with tempfile.TemporaryDirectory() as folder:
        archive = options.archive
        if not archive:
            archive = os.path.join(folder, "archive.lidia")
            common.run(options.llvm_lidia, "--crc", "--lines", *directories,
                       "-o", archive, options.file)
        sections = common.read_sections(options.file)
        addresses = common.sample(sections, options.count, options.seed)
        command = [options.reader, "-a", "-i", "-f", "-e", options.file]
        if options.sup and not options.arbiter:
            command += ["--sup", options.sup]
        if options.debug_file_directory:
            command.append("--debuginfo-path=" +
                           ":".join(options.debug_file_directory))
        theirs = ask(command, addresses)
        ours = common.symbolize([options.llvm_lidia, "lookup", archive],
                                addresses)

        files = common.files_of(options.llvm_lidia, options.file, directories)
        comparison = Comparison(files, sections, False)
        for address, their, our in zip(addresses, theirs, ours, strict=True):
            comparison.add(address, *tidy(their, our))

        def without_symbols(at):
            bare = os.path.join(folder, "bare")
            shutil.copyfile(options.file, bare)
            common.hide_symbols(bare)
            return ask([bare if word == options.file else word
                        for word in command], at)
        if comparison.by_symbol:
            comparison.finish(without_symbols)
        if comparison.padding:
            comparison.finish_padding(
                lambda at: ask(command, at),
                lambda at: common.symbolize(
                    [options.llvm_lidia, "lookup", archive], at))
        at = [entry[1] for entry in comparison.unexplained]
        third = [[] for _ in at]
        if options.arbiter and at:
            command = [options.arbiter, "-a", "-i", "-f", "-e", files[-1]]
            if options.sup:
                command += ["--sup", options.sup]
            third = ask(command, at)
        comparison.arbitrate(third)

    return 1 if common.report(comparison, len(addresses),
                              options.verbose) else 0


if __name__ == "__main__":
    sys.exit(main())
