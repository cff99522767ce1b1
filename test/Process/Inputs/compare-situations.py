#!/usr/bin/env python3
"""Compares the stacks of situations.cpp with gdb's.

usage: compare-situations.py SITUATIONS SITUATION...

Runs the program SITUATIONS once for each SITUATION in gdb until a signal ends it. gdb
prints its frames and writes a core. The core's stack from llvm-lidia is compared with
these frames: their addresses and functions, including inlined calls, up to main or to
gdb's first frame without a name. Prints a line for each situation.
"""

import json
import re
import subprocess
import sys

PROGRAM = sys.argv[1]


def output_of(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False).stdout


def frames_of_gdb(situation, core):
    text = output_of("gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
                     "-ex", "set print frame-info location-and-address", "-ex", "set width 0",
                     # Handlers must get their signals.
                     "-ex", "handle SIGUSR1 nostop noprint",
                     *(["-ex", "handle SIGSEGV nostop noprint"] if "handle" in situation else []),
                     "-ex", f"run {situation} >/dev/null", "-ex", "echo STACK\\n", "-ex", "bt 100",
                     "-ex", f"gcore {core}", PROGRAM)
    frames = []
    for line in text.partition("STACK")[2].splitlines():
        if found := re.match(r"#\d+ +0x([0-9a-f]+) in (\S+) ", line):
            if found[2] == "??" and frames:
                break
            frames.append(found[2])
            if found[2] == "main":
                break
        elif re.match(r"#\d+ +<signal handler called>", line):
            frames.append("signal")
    return frames


def frames_of_lidia(core):
    stacks = json.loads(output_of("llvm-lidia", "stack", f"--core={core}", "--format=llvm-json",
                                  "--max-frames=100"))
    frames = []
    for frame in stacks[0]["Frames"]:
        names = [s["FunctionName"] for s in frame["Symbol"]] or ["??"]
        frames += ["signal"] if frame.get("SignalFrame") else names
    return [re.sub(r"\(.*", "", name) for name in frames], stacks[0]["End"]


for situation in sys.argv[2:]:
    core = situation + ".core"
    expected, (ours, end) = frames_of_gdb(situation, core), frames_of_lidia(core)
    # gdb deduces frames of tail calls, and uses other aliases for C functions of libc.
    wanted = [name for name in expected if name in ours or not name.startswith("__")]
    ours = [name for name in ours if name in expected]
    same = len(expected) > 1 and ours[:len(wanted)] == wanted
    print(f"{situation}: {'equal' if same else f'gdb {wanted}, ours {ours}'}, {end}")
