#!/usr/bin/env python3
"""Writes COUNT copies of a binary, each with its own build ID.

    many-binaries.py BINARY FOLDER COUNT"""

import os
import sys


def main(binary, folder, count):
    with open(binary, "rb") as file:
        content = bytearray(file.read())
    # Owner "GNU", type 3, preceded by the size of a 20-byte description.
    at = content.index(b"\x14\0\0\0\x03\0\0\0GNU\0") + 12
    for i in range(int(count)):
        content[at:at + 20] = b"%020d" % i
        with open(os.path.join(folder, f"{i}.elf"), "wb") as file:
            file.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
