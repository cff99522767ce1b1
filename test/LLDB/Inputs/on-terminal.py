#!/usr/bin/env python3
"""on-terminal.py LINES COMMAND...: runs COMMAND, an LLDB, without --batch on a separate
terminal and types the lines of the file LINES, each when the output ends with a prompt.
Prints LLDB's output without control sequences."""

import os
import pty
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    lines = file.read().splitlines()
command = [word for word in sys.argv[2:] if word != "--batch"]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(command[0], command)
output = b""
typed = 0
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    output += piece
    if b"(lldb) " in output[-16:] and typed < len(lines):
        os.write(terminal, lines[typed].encode() + b"\n")
        typed += 1
        output += b"\n"
_, status = os.waitpid(child, 0)
text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", output.decode(errors="replace"))
print(text)
sys.exit(os.waitstatus_to_exitcode(status))
