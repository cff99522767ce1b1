#!/usr/bin/env python3
"""Runs a program whose runtime starts a symbolizer, with two symbolizers in turn.

    same-report.py FOLDER VARIABLE ORIGINAL OURS COMMAND...

Puts links to the program ORIGINAL, which is on the PATH, and to OURS, under ORIGINAL's
name, into two folders in FOLDER. Runs COMMAND with the environment variable VARIABLE
naming one and then the other (or their folders, if it is PPROF_TOOLS, or with these
first on it, if it is PATH), and compares the outputs of COMMAND. Prints the common
output. Process IDs, addresses and the shadow bytes around them, which differ from run
to run, are replaced. Frames of libc are omitted, because the two may choose different
ones of its equivalent names, and so are perf's random tips.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys


def normalize(text):
    text = re.sub(r"==\d+==|\b[pt]id=\d+(?:, running|, finished)?", "(N)", text)
    text = re.sub(r"0x[0-9a-f]+", "0xN", text)
    text = re.sub(r"\n(=>| *)0xN: ?(?:[\[ ]?[0-9a-f]{2}[\] ]?)+(?=\n)", "\nSHADOW", text)
    lines = [line for line in text.splitlines()
             if not re.search(r"__libc_start|libc\.so|_start |clone3|start_thread|# \(Tip: ",
                              line)]
    return lines


def run(folder, variable, symbolizer, name, command):
    folder = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    link = os.path.join(folder, os.path.basename(ORIGINAL))
    if os.path.lexists(link):
        os.remove(link)
    os.symlink(symbolizer, link)
    env = dict(os.environ)
    if variable == "PATH":
        env["PATH"] = folder + os.pathsep + env["PATH"]
    else:
        env[variable] = folder if variable == "PPROF_TOOLS" else link
    done = subprocess.run(command, env=env, capture_output=True, timeout=300,
                          stdin=subprocess.DEVNULL, errors="replace")
    return normalize(done.stdout + done.stderr) + ["exit status %d" % done.returncode]


FOLDER, VARIABLE, ORIGINAL, OURS = sys.argv[1:5]
ORIGINAL = shutil.which(ORIGINAL)
# On a busy machine, ThreadSanitizer may miss a race in either run.
for _ in range(5):
    reference = run(FOLDER, VARIABLE, ORIGINAL, "ref", sys.argv[5:])
    answer = run(FOLDER, VARIABLE, OURS, "our", sys.argv[5:])
    if reference == answer:
        break
print("\n".join(answer))
difference = list(difflib.unified_diff(reference, answer, "original", "ours", lineterm=""))
if difference:
    sys.exit("the reports differ:\n" + "\n".join(difference))
