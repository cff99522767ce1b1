#!/usr/bin/env python3
"""Compares demangled names with those of other demanglers.

    compare-names.py [--show N] LLVM-SOURCES

LLVM-SOURCES has the tests of LLVM's demanglers (llvm/test/Demangle and
libcxxabi/test/test_demangle.pass.cpp). The names in them are the functions of an archive,
in which `llvm-lidia lookup` looks them up. yaml2lidia, llvm-undname, llvm-cxxfilt and
binutils' c++filt must be on the PATH. Prints a row for each comparison, and the first N
names that differ.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import tempfile

UNDNAME = ["llvm-undname", "--no-calling-convention", "--no-return-type",
           "--no-access-specifier", "--no-member-type"]


def read(*path):
    text = ""
    for name in sorted(glob.glob(os.path.join(*path))):
        with open(name, encoding="utf-8", errors="replace") as file:
            text += file.read()
    return text


def run(*command, text=""):
    return subprocess.run(command, input=text, encoding="utf-8", errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def our_names(names):
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "names.lidia")
        with open(archive + ".yaml", "w", encoding="utf-8") as file:
            print("Ranges:", file=file)
            for i, name in enumerate(names):
                print(f"- {{Start: {16 * i}, Length: 16, Function: {json.dumps(name)}}}",
                      file=file)
        subprocess.run(["yaml2lidia", archive + ".yaml", "-o", archive], check=True)
        answers = run("llvm-lidia", "lookup", archive,
                      text="".join(f"{16 * i:#x}\n" for i in range(len(names))))
    return [answer.split("\n")[0] for answer in answers.strip().split("\n\n")]


def undname(names):
    """A name that is refused has no line of its own."""
    answers = run(*UNDNAME, text="".join(name + "\n" for name in names)).strip()
    return [answer.split("\n")[-1] for answer in answers.split("\n\n")]


def filtered(*command):
    return lambda names: run(*command, text="\n".join(names) + "\n").split("\n")[:-1]


def without_blanks(names):
    """binutils writes "> >" where LLVM writes ">>"."""
    while any("> >" in name for name in names):
        names = [name.replace("> >", ">>") for name in names]
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("sources", metavar="LLVM-SOURCES")
    arguments = parser.parse_args()
    tests = os.path.join(arguments.sources, "llvm/test/Demangle")
    lists = {
        "Microsoft": re.findall(r"^(\?\S+)$", read(tests, "ms-*.test"), re.M),
        "Itanium": re.findall(r'\{"(_Z[^"]*)"', read(
            arguments.sources, "libcxxabi/test/test_demangle.pass.cpp")),
        "Rust": re.findall(r"^\s*(_R\S+)$", read(tests, "rust*.test"), re.M),
    }
    print("| mangling | names | other demangler | equal |")
    print("| --- | ---: | --- | ---: |")
    for kind, tool, demangle in [
        ("Microsoft", "llvm-undname", undname),
        ("Itanium", "llvm-cxxfilt", filtered("llvm-cxxfilt")),
        ("Itanium", "c++filt", filtered("c++filt")),
        ("Rust", "llvm-cxxfilt", filtered("llvm-cxxfilt")),
    ]:
        names = list(dict.fromkeys(lists[kind]))
        ours, theirs = our_names(names), demangle(names)
        if tool == "c++filt":
            ours, theirs = without_blanks(ours), without_blanks(theirs)
        assert len(ours) == len(theirs) == len(names), (len(ours), len(theirs))
        rows = [row for row in zip(names, ours, theirs) if row[1] != row[2]]
        print(f"| {kind} | {len(names):,} | `{tool}` | {len(names) - len(rows):,} |")
        for row in rows[:arguments.show]:
            print(*row, sep="\n    ")


main()
