#!/usr/bin/env python3
"""with-process.py PROGRAM COMMAND...: starts PROGRAM, waits for its first line,
runs COMMAND with "PID" replaced, and ends PROGRAM. The status is COMMAND's."""

import subprocess
import sys

with subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE) as process:
    try:
        process.stdout.readline()
        command = [word.replace("PID", str(process.pid)) for word in sys.argv[2:]]
        status = subprocess.call(command, stdin=subprocess.DEVNULL)
    finally:
        process.kill()
sys.exit(status)
