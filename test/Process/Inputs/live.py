#!/usr/bin/env python3
"""Runs a command while a program runs.

usage: live.py [--delete FILE]... [--replace FILE BY]... PROGRAM... -- COMMAND...

Starts PROGRAM with its arguments, reads the first line that it prints, deletes and
replaces (by renaming a copy) files, and runs COMMAND, in which PID is replaced by the
process ID and ADDRESSES by the words of the line. Then it ends the program. The exit
status is the command's.
"""

import os
import shutil
import subprocess
import sys

args = sys.argv[1:]
changes = []
while args[0].startswith("--"):
    count = {"--delete": 2, "--replace": 3}[args[0]]
    changes.append(args[1:count])
    args = args[count:]
split = args.index("--")
with subprocess.Popen(args[:split], stdout=subprocess.PIPE, text=True) as process:
    try:
        addresses = process.stdout.readline().split()
        for file, *by in changes:
            if by:
                shutil.copy(by[0], file + ".new")
                os.rename(file + ".new", file)
            else:
                os.remove(file)
        command = []
        for word in args[split + 1 :]:
            command += addresses if word == "ADDRESSES" else [word.replace("PID", str(process.pid))]
        status = subprocess.call(command, stdin=subprocess.DEVNULL)
    finally:
        process.kill()
        try:
            os.remove(f"/tmp/perf-{process.pid}.map")
        except FileNotFoundError:
            pass
sys.exit(status)
