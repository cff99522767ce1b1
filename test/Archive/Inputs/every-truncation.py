"""Truncates an archive at each of its bytes, and expects every piece to be rejected.

usage: every-truncation.py TOOL ARCHIVE SCRATCH

Each piece that lacks one byte or more must be rejected by `TOOL lookup`, with status 1
and a message that names the file, or by the checksums of `TOOL verify --crc`. Of the
pieces each $LIDIA_TEST_EVERY-th is tried, and the longest.
"""

import os
import subprocess
import sys


def refused(*command):
    result = subprocess.run(
        command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL
    )
    message = result.stderr.decode(errors="replace")
    return result.returncode == 1 and command[-1] in message


tool, archive, scratch = sys.argv[1:]
with open(archive, "rb") as f:
    data = f.read()
passed = []
every = int(os.environ.get("LIDIA_TEST_EVERY", "1"))
for size in [*range(0, len(data), every), len(data) - 1]:
    with open(scratch, "wb") as f:
        f.write(data[:size])
    if not refused(tool, "verify", "--crc", scratch):
        passed.append(size)
sys.exit(f"{archive}: pieces of these sizes pass: {passed}" if passed else 0)
