#!/usr/bin/env python3
"""Prints the frames of the locations in one module of a profile, without addresses, as
pprof's own reader shows them: pprof-frames.py PPROF PROFILE MODULE"""

import os
import re
import subprocess
import sys

pprof, profile, module = sys.argv[1:]
text = subprocess.run([pprof, "-symbolize=none", "-raw", profile], check=True, text=True,
                      env=dict(os.environ, PPROF_TMPDIR="."), stdout=subprocess.PIPE,
                      stderr=subprocess.DEVNULL).stdout
locations, mappings = text.split("\nLocations\n")[1].split("\nMappings\n")
numbers = {line.split(":")[0] for line in mappings.splitlines()
           if line.split()[2:3] and os.path.basename(line.split()[2]) == module}
found = {}
for line in locations.splitlines():
    head = re.match(r" *\d+: (0x\w+) M=(\d+) (.*)", line)
    if head:
        address, mapping, line = head.groups()
    if mapping in numbers:
        found.setdefault(address, []).append(line.strip())
for address in sorted(found):
    print("\n".join(found[address]))
