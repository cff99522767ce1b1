#!/usr/bin/env python3
"""Checks which addresses of a log are looked up as return addresses.

    return-addresses.py LogSources.def TABLE COMMAND...

Each line of TABLE is "SOURCE NAME|TEXT", where SOURCE is a row of LogSources.def. COMMAND
filters all texts at once, and must add NAME to each: "fatal" if the address, the first of
"innocent", is a return address; "-" stands for no name. Each row must occur."""

import re
import subprocess
import sys

rows = set(re.findall(r"^LOG_SOURCE\((\w+),", open(sys.argv[1]).read(), re.M))
table = [line.rstrip("\n").split("|", 1) for line in open(sys.argv[2])]
log = "".join(text + "\n" for _, text in table)
output = subprocess.run(sys.argv[3:], input=log, text=True, check=True,
                        stdout=subprocess.PIPE).stdout.splitlines()
# eu-stack has the position on a line of its own.
output = [line for line in output if not line.startswith("    code.s")]
assert len(output) == len(table), "\n".join(output)
failed = False
for (head, text), line in zip(table, output):
    source, name = head.split()
    rows.discard(source)
    added = [word for word in re.findall(r"\w+", line) if text.count(word) < line.count(word)]
    names = sorted({word for word in added
                    if word in ("fatal", "innocent", "before", "__restore_rt")}) or ["-"]
    if names != [name]:
        print(source, "expected", name, "in:", line)
        failed = True
if rows:
    print("no text of", ", ".join(sorted(rows)))
sys.exit(failed or bool(rows))
