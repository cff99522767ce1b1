#!/usr/bin/env python3
"""Writes a CPU profile of a program that never ran: make-profile.py PIE PROFILE.

It has one sample at every seventh byte of each function, as if the program had been
loaded at 0x555555554000. The format is that of gperftools (cpu_profile.md in its
documentation), which pprof reads: 64-bit words (0, 3, 0, the period in microseconds,
0), then (count, 1, address) for each sample and (0, 1, 0) at the end, then the text of
/proc/PID/maps."""

import os
import struct
import subprocess
import sys

BASE = 0x555555554000
binary, profile = sys.argv[1:]


def lines(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return map(str.split, done.stdout.splitlines())


words = [0, 3, 0, 10000, 0]
for fields in lines("llvm-nm", "--print-size", "--defined-only", binary):
    if len(fields) == 4 and fields[2] in "tTwW":
        start, size = int(fields[0], 16), int(fields[1], 16)
        for address in range(start, start + size, 7):
            words += [1, 1, BASE + address]
words += [0, 1, 0]
maps = ""
for fields in lines("llvm-readelf", "--program-headers", "--wide", binary):
    if fields[:1] == ["LOAD"]:
        offset, address, _, _, size = (int(field, 16) for field in fields[1:6])
        flags = "".join(fields[6:-1])
        rights = "".join(new if letter in flags else "-" for letter, new in
                         zip("RWE", "rwx"))
        start = (BASE + address) & ~0xfff
        end = (BASE + address + size + 0xfff) & ~0xfff
        maps += "%x-%x %sp %08x 00:00 1 %s\n" % (start, end, rights, offset & ~0xfff,
                                                os.path.abspath(binary))
with open(profile, "wb") as file:
    file.write(struct.pack("<%dQ" % len(words), *words) + maps.encode())
