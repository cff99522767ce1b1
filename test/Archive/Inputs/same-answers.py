#!/usr/bin/env python3
"""same-answers.py PLAIN OTHER... - asks archives with the same contents the same
questions, and fails unless all give the same answers as PLAIN."""

import re
import subprocess
import sys


def run(args, text=""):
    # The output of export is not text, and latin-1 has a character for each byte.
    result = subprocess.run(["llvm-lidia"] + args, input=text, capture_output=True,
                            encoding="latin-1")
    if result.returncode != 0:
        sys.exit("%s: %s" % (args, result.stderr))
    return result.stdout


def answers(archive):
    dump = run(["dump", archive])
    found = [int(a, 16) for a in re.findall(r"\] (0x[0-9a-f]+)\.\.", dump)]
    # Not in ascending order, and each address twice.
    addresses = sorted(found * 2, key=lambda a: a * 7919 % 1009)
    lines = "".join("%#x\n" % (a + 1) for a in addresses)
    return [
        dump,
        run(["dump", "--list-strings", "--statements", archive]),
        run(["verify", "--crc", archive]).replace(archive, "ARCHIVE"),
        run(["export", archive, "-o", "-"]),
        run(["lookup", archive], lines),
        run(["lookup", "--frame-cache-size=0", archive], lines),
        run(["lookup", "--return-addresses", "--output-style=GNU", archive], lines),
        run(["lookup", archive, hex(found[0]), "chain"]),
        # Not for URLs, because lines could also name URLs.
        None if "://" in archive else run(["symbolize", "--obj=" + archive], lines),
    ]


expected = answers(sys.argv[1])
assert len(expected[4]) > 1000, expected[4]
for other in sys.argv[2:]:
    for number, (want, got) in enumerate(zip(expected, answers(other))):
        if got is not None and want != got:
            sys.exit("%s: answer %d differs:\n%s\nnot\n%s"
                     % (other, number, got, want))
