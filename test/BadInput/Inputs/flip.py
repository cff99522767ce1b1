"""Runs a command on copies of a file in which one byte is changed.

    flip.py [--set=VALUE] [--step=N] FILE SECTION COPY COMMAND...

Sets (or inverts) every Nth byte of SECTION in the 64-bit little-endian ELF file FILE to
VALUE in turn; of these bytes each $LIDIA_TEST_EVERY-th. COMMAND may fail but must not crash or hang.
"""

import argparse
import os
import struct
import subprocess
import sys


def section_range(data, wanted):
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size)
               for i in range(count)]
    for name, _, _, _, start, length in headers:
        text = data[headers[names][4] + name:].split(b"\0", 1)[0].decode()
        if text == wanted:
            return range(start, start + length)
    sys.exit(f"no section {wanted}")


parser = argparse.ArgumentParser()
parser.add_argument("--set", type=lambda v: int(v, 0))
parser.add_argument("--step", type=int, default=1)
parser.add_argument("file")
parser.add_argument("section")
parser.add_argument("copy")
parser.add_argument("command", nargs=argparse.REMAINDER)
options = parser.parse_args()

with open(options.file, "rb") as file:
    original = file.read()
step = options.step * int(os.environ.get("LIDIA_TEST_EVERY", "1"))
for at in section_range(original, options.section)[::step]:
    changed = bytearray(original)
    changed[at] = original[at] ^ 0xFF if options.set is None else options.set
    with open(options.copy, "wb") as file:
        file.write(changed)
    result = subprocess.run(options.command, timeout=60, check=False,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # Sanitizers also end a program with 1.
    if (result.returncode not in (0, 1) or b"Sanitizer" in result.stderr or
            b"runtime error:" in result.stderr):
        sys.exit(f"{options.section} at {at:#x}: status {result.returncode}")
