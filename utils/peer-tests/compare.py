#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts the binaries of other projects' tests and compares the answers.

utils/peer-tests/fetch.sh fetches such a folder. Each ELF, PE and Mach-O file, and each
file in a universal file, is converted and verified; then the archive and
llvm-symbolizer answer the same addresses, all or --count of them. Prints how many
addresses were equal, explained (docs/Agreement.md has the classes) and unexplained, and
each file with an unexplained difference. A rejected file is explained if
llvm-symbolizer also finds nothing in it, or if its kind is listed as rejected. The exit
status is 0 if nothing is unexplained.
"""

import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
AGREEMENT = os.path.join(HERE, "..", "agreement")
# The reasons for rejecting a file whose addresses llvm-symbolizer answers.
REFUSED_BY_NAME = {
    r"COFF object has no addresses": "object-without-addresses",
    r"Mach-O object has no addresses": "object-without-addresses",
    r"a PDB file, which was not found": "pdb",
}
UNIVERSAL = (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
ET_REL, ET_CORE = 1, 4


def load_comparison():
    sys.path.insert(0, AGREEMENT)
    spec = importlib.util.spec_from_file_location(
        "comparison", os.path.join(AGREEMENT, "compare-with-symbolizer.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Result:
    """The results for one file."""

    def __init__(self):
        self.equal = 0
        self.explained = collections.Counter()
        self.unexplained = collections.Counter()
        # Results for whole files, and lines about unexplained differences.
        self.files = collections.Counter()
        self.lines = []

    def add(self, other):
        self.equal += other.equal
        self.explained += other.explained
        self.unexplained += other.unexplained
        self.files += other.files
        self.lines += other.lines

    def blame(self, kind, path, text):
        self.unexplained[kind] += 1
        self.files["unexplained"] += 1
        self.lines.append(f"{path}: {kind}: {text}")


def elf_type(path):
    with open(path, "rb") as file:
        header = file.read(18)
    if not header.startswith(b"\x7fELF") or len(header) < 18:
        return None
    return int.from_bytes(header[16:18], "big" if header[5] == 2 else "little")


def what_symbolizer_knows(tools, path, options):
    """What llvm-symbolizer finds in the code of PATH; empty for functions or lines."""
    try:
        sections = tools.read_sections(path)
        addresses = tools.sample(sections, options.count, options.seed)
        answers = tools.symbolize([tools.find_tool("llvm-symbolizer"), "-e", path],
                                  addresses)
    except (subprocess.CalledProcessError, ValueError, KeyError, IndexError):
        return "nothing"
    frames = [frame for answer in answers for frame in answer]
    if not frames:
        return "nothing"
    symbols = tools.Comparison([path], sections, columns=False)
    # Mach-O files have a symbol for their header, and arm64's objects a label for each
    # section.
    if all(not file and (symbols.is_no_function(name) or re.fullmatch(r"ltmp\d+", name) or
                         name.lstrip("_") == "mh_execute_header")
           for name, file, _, _ in frames):
        return "only labels and data"
    return ""


def convert(options, path, archive):
    """Writes and verifies ARCHIVE. Returns ("refused" or "invalid", a message), or
    None."""
    for command in ([options.llvm_lidia, "--crc", "--lines", "--quiet", "-o", archive, path],
                    [options.llvm_lidia, "verify", archive]):
        done = subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace")
        message = done.stderr.strip() or "no message"
        if done.returncode not in (0, 1):
            return "invalid", f"exit status {done.returncode}: {message}"
        if done.returncode:
            return "invalid" if command[1] == "verify" else "refused", message
    return None


def compare_thin(tools, path, shown, options):
    """Compares a file that is not universal. SHOWN is its name for messages."""
    result = Result()
    with tempfile.TemporaryDirectory() as folder:
        if elf_type(path) == ET_CORE:
            result.files["core files"] += 1
            return result
        target = path
        if elf_type(path) == ET_REL:
            target = os.path.join(folder, os.path.basename(path))
            placed = subprocess.run([sys.executable,
                                     os.path.join(AGREEMENT, "place-sections.py"), path,
                                     target], stderr=subprocess.DEVNULL)
            if placed.returncode:
                target = path
        archive = os.path.join(folder, "archive.lidia")
        error = convert(options, target, archive)
        if not error:
            judge_answers(tools, target, shown, archive, options, result)
        elif error[0] == "refused":
            judge_refusal(tools, target, shown, error[1], options, result)
        else:
            result.blame(error[0], shown, error[1])
    return result


def judge_refusal(tools, path, shown, error, options, result):
    for pattern, kind in REFUSED_BY_NAME.items():
        if re.search(pattern, error):
            result.files["refused: " + kind] += 1
            return
    known = what_symbolizer_knows(tools, path, options)
    if known:
        result.files[f"refused: llvm-symbolizer knows {known}"] += 1
    else:
        result.blame("refused", shown, error)


def judge_answers(tools, path, shown, archive, options, result):
    options.archive = archive
    try:
        comparison, total = tools.compare(path, options)
    except subprocess.CalledProcessError as error:
        program = os.path.basename(error.cmd[0])
        if program == os.path.basename(options.llvm_lidia):
            result.blame("crash", shown, f"{program} ended with {error.returncode}")
        else:
            result.files[f"{program} fails"] += 1
        return
    result.files["compared" if total else "without code"] += 1
    result.equal += comparison.equal
    for kind, count in comparison.classes.items():
        if not kind.startswith("unexplained"):
            result.explained[kind] += count
            continue
        result.unexplained[kind] += count
        address, theirs, ours = comparison.examples[kind][0]
        result.lines.append(f"{shown}: {kind} {count}: {address:#x}: {theirs} there, "
                            f"{ours} here")


def slices(tools, path, folder):
    """The files in a universal file: (name, path)."""
    lipo = tools.find_tool("llvm-lipo")
    shown = subprocess.run([lipo, "-archs", path], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    for name in shown.stdout.split():
        part = os.path.join(folder, f"{os.path.basename(path)}-{name}")
        if subprocess.run([lipo, path, "-thin", name, "-output", part],
                          stderr=subprocess.DEVNULL).returncode == 0:
            yield name, part


def compare_file(path, options):
    tools = load_comparison()
    with open(path, "rb") as file:
        magic = file.read(4)
    if magic in UNIVERSAL:
        result = Result()
        with tempfile.TemporaryDirectory() as folder:
            for name, part in slices(tools, path, folder):
                if tools.format_of(part):
                    result.add(compare_thin(tools, part, f"{path} ({name})", options))
        return result
    return (compare_thin(tools, path, path, options) if tools.format_of(path) else
            Result())


def run_apart(path, options):
    """Runs compare_file in a child process, which may time out."""
    command = [sys.executable, os.path.abspath(__file__), "--one",
               f"--llvm-lidia={options.llvm_lidia}", f"--count={options.count}",
               f"--seed={options.seed}", path]
    result = Result()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        result.blame("timeout", path, f"more than {options.timeout} s")
        return result
    if done.returncode:
        result.blame("script", path, done.stderr.strip().splitlines()[-1])
        return result
    shown = json.loads(done.stdout)
    result.equal = shown["equal"]
    for name in ("explained", "unexplained", "files"):
        getattr(result, name).update(shown[name])
    result.lines = shown["lines"]
    return result


def find_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                file = os.path.join(folder, name)
                if os.path.isfile(file) and not os.path.islink(file):
                    yield file


def show(title, counts):
    print(f"{title}: {sum(counts.values())}")
    for kind, count in counts.most_common():
        print(f"  {kind}: {count}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="FOLDER_OR_FILE")
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--count", type=int, default=2000,
                        help="addresses of each file (2000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=300, help="seconds for each file")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.debug_file_directory, options.columns = [], False
    found = shutil.which(options.llvm_lidia)
    if not found:
        sys.exit(f"{options.llvm_lidia} is not a program: build it, or name it with "
                 "--llvm-lidia=")
    options.llvm_lidia = os.path.abspath(found)
    return options


def main():
    options = parse_arguments()
    if options.one:
        path = os.path.abspath(options.paths[0])
        # Paths of split units may be relative to the working folder.
        os.chdir(os.path.dirname(path))
        result = compare_file(path, options)
        json.dump(vars(result), sys.stdout)
        return 0
    total = Result()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda path: run_apart(path, options),
                               find_files(options.paths)):
            total.add(result)
    for line in total.lines:
        print(line)
    show("files", total.files)
    print(f"equal: {total.equal}")
    show("explained", total.explained)
    show("unexplained", total.unexplained)
    return 1 if total.unexplained or not total.files["compared"] else 0


if __name__ == "__main__":
    sys.exit(main())
