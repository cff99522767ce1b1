#!/usr/bin/env python3
"""Compiles all public headers with warnings that programs may use:
check-headers.py COMPILE_COMMANDS INCLUDE WARNING..."""

import json
import os
import shlex
import subprocess
import sys

commands, folder, *warnings = sys.argv[1:]
with open(commands, encoding="utf-8") as file:
    command = next(shlex.split(c["command"]) for c in json.load(file)
                   if "/lib/Archive/" in c["file"])
flags = []
for flag, value in zip(command, command[1:]):
    if flag == "-isystem":
        flags += [flag, value]
    if flag.startswith("-D"):
        flags.append(flag)
headers = sorted(os.path.relpath(os.path.join(place, name), folder)
                 for place, _, names in os.walk(folder) for name in names
                 if name.endswith(".h"))
text = "".join(f'#include "{header}"\n' for header in headers)
assert len(headers) > 50
sys.exit(subprocess.run(
    [command[0], "-x", "c++", "-std=c++17", "-fsyntax-only", "-Werror", *warnings,
     "-I", folder, *flags, "-"], input=text, text=True).returncode)
