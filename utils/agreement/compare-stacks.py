#!/usr/bin/env python3
"""Compares stacks with those of gdb and eu-stack.

compare-stacks.py [options] --core CORE [PROGRAM]
compare-stacks.py [options] --run COMMAND...

Compares the stacks of a core; or runs a command, stops it (SIGSTOP) after some seconds,
compares the live process, and then a core that gdb's gcore makes of it.

Prints a table row for each comparison: the number of threads, the frames of the judge,
how many of them we have in the same order from the innermost on, and the frames that
only we have, after the judge's last frame or of tail calls. A frame is an address. With gdb, inlined
calls, and functions that tail calls replaced, are frames, too; eu-stack has neither. Then
follow the first differences. The exit status is 1 if less than --least percent of the
frames are the same.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time


def output_of(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def ours(args, target, judge):
    """Maps each thread to the addresses of its frames, innermost first, with their kinds
    and functions."""
    kind, value = target
    command = [args.llvm_lidia, "stack", f"--{kind}={value}", "--format=llvm-json",
               "--max-frames=20000", *args.option]
    result = output_of(command)
    if result.returncode != 0:
        sys.exit(result.stderr.decode())
    stacks = {}
    for stack in json.loads(result.stdout):
        frames = []
        for f in stack["Frames"]:
            names = [s["FunctionName"] for s in f["Symbol"]] or ["??"]
            kind = "tail call" if f.get("TailCall") else "frame"
            if judge == "gdb":
                frames += [(int(f["Address"], 16), kind if kind == "tail call" else "inlined", name)
                           for name in names[:-1]]
            if judge == "gdb" or kind == "frame":
                frames.append((int(f["Address"], 16), kind, names[-1]))
        for thread in stack["Threads"]:
            stacks[thread["ID"]] = frames
    return stacks


GDB_SCRIPT = """
import gdb, json
stacks = {}
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frames, frame = [], gdb.newest_frame()
    while frame is not None and frame.is_valid() and len(frames) < 20000:
        kind = {gdb.INLINE_FRAME: "inlined", gdb.TAILCALL_FRAME: "tail call"}
        signal = " (signal)" if frame.type() == gdb.SIGTRAMP_FRAME else ""
        frames.append((frame.pc(), kind.get(frame.type(), "frame"),
                       (frame.name() or "??") + signal))
        try:
            frame = frame.older()
        except gdb.error:
            break
    stacks[thread.ptid[1] or thread.ptid[0]] = frames
print("STACKS " + json.dumps(stacks))
"""


def gdb(args, target):
    kind, value = target
    where = ["-p", str(value)] if kind == "pid" else ["-c", value]
    program = [args.program] if args.program and kind == "core" else []
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(GDB_SCRIPT)
        script.flush()
        result = output_of(["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
                            "-ex", "set backtrace past-main on", *program, *where,
                            "-ex", "source " + script.name])
    text = re.search(r"^STACKS (.*)$", result.stdout.decode(errors="replace"), re.M)
    if not text:
        sys.exit(result.stderr.decode(errors="replace"))
    # The address of a signal frame is that of the code that returns from the signal.
    return {int(thread): [tuple(frame) for frame in frames]
            for thread, frames in json.loads(text[1]).items()}


def eu_stack(args, target):
    kind, value = target
    where = ["-p", str(value)] if kind == "pid" else ["--core", value]
    if kind == "core" and args.program:
        where += ["-e", args.program]
    result = output_of(["eu-stack", "-n", "20000", *where])
    stacks, thread = {}, None
    for line in result.stdout.decode(errors="replace").splitlines():
        if found := re.match(r"TID (\d+):", line):
            thread = int(found[1])
            stacks[thread] = []
        elif found := re.match(r"#\d+ +0x([0-9a-f]+)(?: +(.*))?", line):
            stacks[thread].append((int(found[1], 16), "frame", found[2] or "??"))
    return stacks


JUDGES = {"gdb": gdb, "eu-stack": eu_stack}


def equal_frames(theirs, mine):
    """The number of equal frames, from the innermost on, and of ours that were passed.
    Functions that tail calls replaced may be between: gdb does not read clang's form of
    them, and lacks the calls that are inlined into them."""
    count = at = 0
    for frame in theirs:
        while at != len(mine) and mine[at][0] != frame[0] and mine[at][1] == "tail call":
            at += 1
        if at == len(mine) or mine[at][0] != frame[0]:
            break
        count += 1
        at += 1
    return count, at


def name(frame):
    if frame is None:
        return "none"
    address, kind, function = frame
    return f"{hex(address)} {function}{'' if kind == 'frame' else f' ({kind})'}"


def compare(args, target, judge, label):
    theirs, mine = JUDGES[judge](args, target), ours(args, target, judge)
    total = sum(map(len, theirs.values()))
    same = more = 0
    differences = []
    for thread, frames in theirs.items():
        have = mine.get(thread, [])
        equal, at = equal_frames(frames, have)
        same += equal
        if equal == len(frames):
            more += len(have) - equal
        else:
            differences.append(
                f"    thread {thread}, frame {equal} of {len(frames)}: {judge}: {name(frames[equal])}, "
                f"ours: {name(have[at] if at < len(have) else None)}, "
                f"after {name(frames[equal - 1]) if equal else 'nothing'}")
    share = 100 * same / total if total else 0
    print(f"| {label} | {judge} | {len(theirs)} | {total} | {same} ({share:.1f} %) | {more} |", flush=True)
    for line in differences[:args.show]:
        print(line)
    return share >= args.least


def run(args, judges):
    good = True
    args.program = None
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(args.command, stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(args.wait)
            pid = process.pid
            os.kill(pid, signal.SIGSTOP)
            label = args.name or os.path.basename(args.command[0])
            for judge in judges:
                good &= compare(args, ("pid", pid), judge, label + ", live")
            core = os.path.join(folder, "core")
            output_of(["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "gcore " + core])
            args.program = os.readlink(f"/proc/{pid}/exe")
            for judge in judges:
                good &= compare(args, ("core", core), judge, label + ", core")
        finally:
            process.kill()
            process.wait()
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--judge", choices=JUDGES, help="default: both")
    parser.add_argument("--least", type=float, default=99, metavar="PERCENT")
    parser.add_argument("--name", help="of the row (default: the core's or the command's)")
    parser.add_argument("--option", action="append", default=[], help="pass it to llvm-lidia stack")
    parser.add_argument("--show", type=int, default=3, metavar="N", help="print at most N differences")
    parser.add_argument("--wait", type=float, default=2, metavar="SECONDS")
    parser.add_argument("--core")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    judges = [args.judge] if args.judge else list(JUDGES)
    if args.run:
        return 0 if run(args, judges) else 1
    args.program = args.command[0] if args.command else None
    label = args.name or args.core
    results = [compare(args, ("core", args.core), judge, label) for judge in judges]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
