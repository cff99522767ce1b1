#!/usr/bin/env python3
"""with-serve.py [OPTION...] -- COMMAND...: runs llvm-lidia serve with the options, on a
free port of this machine, and the command, in which SERVER stands for the URL, HOSTPORT
for the URL without its scheme, and PID for the server's process ID. Ends with the
command's status, or with 1 if the server does not exit with 0 on SIGTERM.
LISTEN=unix:PATH in the environment selects another address. AS=NAME: NAME stands for
the URL, for a server that sends requests to another one."""

import os
import re
import signal
import subprocess
import sys

split = sys.argv.index("--")
options, command = sys.argv[1:split], sys.argv[split + 1:]
if not any(option.startswith("--listen") for option in options):
    options.append("--listen=127.0.0.1:0")
server = subprocess.Popen(["llvm-lidia", "serve"] + options,
                          stderr=subprocess.PIPE, text=True)
# Warnings may precede the line that has the address. Without that line, print the
# reason.
found = None
while not found:
    line = server.stderr.readline()
    found = re.search(r": serving .* at (\S+)$", line.strip())
    if not line:
        sys.exit(server.wait() or 1)
    if not found:
        sys.stderr.write(line)
meanings = {os.environ.get("AS", "SERVER"): found[1], "HOSTPORT": found[1].split("://")[-1],
            "PID": str(server.pid)}
for name, meaning in meanings.items():
    command = [word.replace(name, meaning) for word in command]
try:
    status = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
finally:
    # Otherwise lit would wait for the server, even if the command cannot be run.
    server.send_signal(signal.SIGTERM)
more = server.communicate(timeout=60)[1]
sys.stderr.write(more)
if server.returncode:
    print("the server ended with", server.returncode, file=sys.stderr)
    status = status or 1
sys.exit(status)
