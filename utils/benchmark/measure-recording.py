#!/usr/bin/env python3
"""Compares the times of llvm-lidia profile and perf script on recordings, in turn.

    measure-recording.py [--build BUILD] [--store STORE] [--runs N] PERF.DATA...

llvm-lidia answers with inlined calls, files and lines, from existing archives: those of
--store or of the files of this machine. perf reads those files. The medians are printed
as rows for docs/Performance.md, with the peaks of memory.
"""

import argparse
import os
import statistics
import subprocess
import time

PERF = [("`perf script --no-inline`", ["--no-inline"]), ("`perf script`", []),
        ("`perf script -F +srcline`", ["-F", "+srcline"])]


def run(command):
    """The time in seconds and the peak memory in megabytes."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: status {process.returncode}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def measure(recording, args):
    place = f"--store={args.store}" if args.store else "--sysroot=/"
    ours = [f"{args.build}/bin/llvm-lidia", "profile", place,
            "--format=folded", recording]
    run(ours)
    theirs = [(name, ["perf", "script", "-f", "-i", recording] + options)
              for name, options in PERF]
    times = {name: [] for name, _ in theirs}
    times[""] = []
    for _ in range(args.runs):
        times[""].append(run(ours))
        for name, command in theirs:
            times[name].append(run(command))
    seconds = {name: statistics.median(t for t, _ in runs)
               for name, runs in times.items()}
    megabytes = {name: max(m for _, m in runs) for name, runs in times.items()}
    for name, _ in theirs:
        print(f"| {os.path.basename(recording)}; {name} | {seconds['']:.3f} s | "
              f"{seconds[name]:.3f} s | {seconds[name] / seconds['']:.1f} × faster | "
              f"{megabytes['']:.0f} MB | {megabytes[name]:.0f} MB |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--store")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("recordings", nargs="+")
    args = parser.parse_args()
    for recording in args.recordings:
        measure(recording, args)


if __name__ == "__main__":
    main()
