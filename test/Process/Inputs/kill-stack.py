#!/usr/bin/env python3
"""Kills llvm-lidia stack with SIGKILL at different times while it stops the threads of
a program, and checks that all threads continue.

usage: kill-stack.py PROGRAM... (prints a line when it is ready)

Prints the number of kills that came while it ran, and the threads that did not recover.
"""

import os
import subprocess
import sys
import time

ATTEMPTS = 40


def states(pid):
    """Thread -> its state: S, R, t (stopped by a tracer), ..."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="utf-8") as file:
            found[thread] = file.read().rpartition(")")[2].split()[0]
    return found


with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True) as process:
    try:
        process.stdout.readline()
        before = states(process.pid)
        command = ["llvm-lidia", "stack", f"--pid={process.pid}", "--no-cache", "-q"]
        begin = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        duration = time.monotonic() - begin
        killed = 0
        for i in range(ATTEMPTS):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as ours:
                time.sleep(duration * i / ATTEMPTS)
                ours.kill()
                killed += ours.wait() == -9
        time.sleep(0.2)
        after = states(process.pid)
        stopped = [t for t, state in after.items() if state in "tT"]
        print("killed:", "some" if killed else "none")
        print("threads:", "all" if after.keys() == before.keys() else f"{len(after)} of {len(before)}")
        print("stopped:", stopped or "none")
        # If it answers, it still works.
        line = process.stdout.readline()
        print("goes on:", "yes" if line else "no")
    finally:
        process.kill()
