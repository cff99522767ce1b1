#!/usr/bin/env python3
"""Gives two symbolizers the same input and compares what they print.

    compare.py INPUT ORIGINAL OURS OPTIONS...

INPUT is a file of lines for standard input. Standard output must be the same, and so
must be standard error but for the name of the program at the start of each line, and
the exit status. Left out is what archives do not have: discriminators, and where some
functions are declared; and what binutils 2.44 says of clang's file tables.
"""

import difflib
import re
import subprocess
import sys

name, original, ours, *options = sys.argv[1:]
with open(name, "rb") as file:
    lines = file.read()


def run(program):
    done = subprocess.run([program] + options, input=lines, capture_output=True,
                          timeout=300)
    errors = re.sub(rb"(?m)^[^ ]*(?=: (?:error|Warning|warning)|: '|: [^ ]*:)", b"PROGRAM",
                    done.stderr)
    errors = re.sub(rb"(?m)^.*: DWARF error: mangled line number section "
                    rb"\(bad file number\)\n", b"", errors)
    answers = re.sub(rb"(?m)^  Function start (?:filename|line): .*\n|"
                     rb"(?<=\d) \(discriminator \d+\)(?=\n)|"
                     rb'"StartFileName": *"[^"]*",\s*"StartLine": *\d+', b"", done.stdout)
    text = answers + b"--- errors\n" + errors + b"--- %d\n" % done.returncode
    return text.decode("utf-8", "backslashreplace").splitlines()


difference = list(difflib.unified_diff(run(original), run(ours), original, ours,
                                       lineterm=""))
if difference:
    sys.exit("with %s:\n%s" % (options, "\n".join(difference)))
