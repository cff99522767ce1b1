#!/usr/bin/env python3
"""Compares the names in Rust's older mangling in a binary with those of binutils.

    compare-rust-names.py BINARY...

Asks "llvm-lidia symbolize" for the function at each symbol, and demangles the symbol
with "c++filt --format=rust", which keeps the hash. Prints the number of equal names."""

import re
import subprocess
import sys


def run(*command, text=None):
    return subprocess.run(command, input=text, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


same = 0
for binary in sys.argv[1:]:
    symbols = dict(re.findall(r"^([0-9a-f]+) [tT] (_ZN\S*17h[0-9a-f]{16}E)$",
                              run("llvm-nm", "--defined-only", binary), re.M))
    questions = "".join(f'"{binary}" 0x{address}\n' for address in symbols)
    # The last frame is the function itself.
    answers = [answer.splitlines()[-2] for answer in
               run("llvm-lidia", "symbolize", "--rust-names=hash",
                   text=questions).strip().split("\n\n")]
    mangled = [run("llvm-lidia", "symbolize", "--no-demangle", f'"{binary}" 0x{a}')
               .strip().splitlines()[-2] for a in symbols]
    expected = run("c++filt", "--format=rust", text="\n".join(mangled)).splitlines()
    assert len(answers) == len(expected), (len(answers), len(expected))
    for name, ours, theirs in zip(mangled, answers, expected):
        assert ours == theirs, (name, ours, theirs)
        same += 1
print(same, "names")
