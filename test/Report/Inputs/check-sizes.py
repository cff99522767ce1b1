#!/usr/bin/env python3
"""Makes dossiers of many sizes.

usage: check-sizes.py FILE... -- OPTION...

Each must fit into its size. Each line of Markdown must be one of the dossier without a
limit, and JSON must be JSON, with only members that the one without a limit has. Larger ones
have at least as much, and the same command writes the same bytes.
"""

import json
import subprocess
import sys

SPLIT = sys.argv.index("--")
FILES, OPTIONS = sys.argv[1:SPLIT], sys.argv[SPLIT + 1:]


def dossier(file, form, size):
    return subprocess.run(["llvm-lidia", "report", "-q", "--no-cache", f"--format={form}",
                           f"--max-size={size}", *OPTIONS, file],
                          stdout=subprocess.PIPE, check=True).stdout


for file in FILES:
    whole = set(dossier(file, "markdown", "1m").decode().splitlines())
    members = json.loads(dossier(file, "json", "1m"))
    for size in [128, 129, 160, 200, 256, 300, 400, 555, 800, 1000, 1500, 2500, 5000]:
        text = dossier(file, "markdown", size)
        assert len(text) <= size, (file, size, len(text))
        for line in text.decode().splitlines():
            assert line in whole or line.startswith("The rest of"), (file, size, line)
        assert dossier(file, "markdown", size) == text
        text = dossier(file, "json", size)
        assert len(text) <= size, (file, size, len(text))
        for name, value in json.loads(text).items():
            assert name == "left_out" or name in members, (file, size, name)
            if name not in ("first_stack", "left_out", "text"):
                full = members[name]
                assert value == full or value == full[:len(value)], (file, size, name)
