#!/usr/bin/env python3
"""Gives two symbolizers the same input and compares their output.

    compare.py INPUT ORIGINAL OURS OPTIONS...

INPUT is a file of lines for standard input. Standard output and the exit status must be
the same, and so must standard error except for the program's name at the start of each
line. The comparison ignores information that archives do not have: discriminators, and
where some functions are declared; and binutils 2.44's messages about clang's file
tables.
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
