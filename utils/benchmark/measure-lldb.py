#!/usr/bin/env python3
"""Measures LLDB without symbols, with an archive and with DWARF, in one run.

    measure-lldb.py --build BUILD-FOLDER [--runs N] BINARY DEBUG-FILE
                    --address ADDRESS --function NAME

BINARY is a stripped ELF file with 100 MB of DWARF or more, and DEBUG-FILE its debug
file (see fetch-inputs.sh). Each measurement is a whole process of LLDB that loads the
symbols and runs one query: `image lookup -a` or a breakpoint by name. Hosts are
Debian's lldb-19 and, if utils/build-lldb.sh has built it, the LLDB that exports
lldb_private. The plugin's cache is filled before the measurement.

Prints Markdown: for each host and query the floor (the stripped program, without the
plugin), the archive and the DWARF, with processor time, wall time, peak resident memory
and its private part; the ratios to the floor, and whether the archive meets its
targets. Runs alternate. Times are medians, and ratios are medians of the ratios of
consecutive runs, because other work on a machine changes times but hardly changes
ratios.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import typing

# The limits for an archive's processor time and memory, relative to the floor's.
TARGET_TIME, TARGET_MEMORY = 1.3, 1.2
QUESTIONS = {"lookup": "image lookup -a {address}",
             "breakpoint": "breakpoint set -n {function}"}
TITLES = {"lookup": "`image lookup -a`",
          "breakpoint": "breakpoint by function name"}


def find_hosts(version):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    hosts = {"distribution": shutil.which("lldb-19"),
             "exporting": os.path.join(cache, "lidia-lldb", version,
                                       "bin", "lldb")}
    return {name: path for name, path in hosts.items()
            if path and os.path.exists(path)}


class Run(typing.NamedTuple):
    cpu: float  # seconds
    wall: float
    memory: int  # peak resident bytes
    private: int  # of these, bytes that are not of files; zero if not asked for


def run(command, environment):
    """Runs COMMAND, an LLDB session, which must succeed."""
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=output,
                                   env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = status
        output.seek(0)
        text = output.read()
    if status or "error:" in text:
        sys.exit(f"{' '.join(command)}:\n{text}")
    private = re.search(r"^RssAnon:\s*(\d+) kB", text, re.M)
    return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024,
               int(private.group(1)) * 1024 if private else 0)


def session(host, binary, symbols, question, plugin):
    """The command line of an LLDB that asks QUESTION; without symbols if SYMBOLS is
    None."""
    commands = [f"plugin load {plugin}"] if plugin else []
    commands.append(f"target create {binary}")
    if symbols:
        commands.append(f"target symbols add {symbols}")
    commands.append(question)
    line = [host, "-b", "--no-lldbinit"]
    for command in commands:
        line += ["-o", command]
    return line


def measure(sessions, runs, environment):
    """The runs of each session, alternating, and its private memory."""
    # The first runs fill the page cache and the archive cache.
    for line in sessions:
        run(line, environment)
    private = [run(line + ["-o", "platform shell cat /proc/$PPID/status"],
                   environment).private for line in sessions]
    turns = [[run(line, environment) for line in sessions]
             for _ in range(runs)]
    return list(zip(*turns)), private


def print_rows(host, kind, results, private):
    floor = results[0]

    def median(runs, field):
        return statistics.median(getattr(r, field) for r in runs)

    def ratio(runs, field):
        return statistics.median(getattr(r, field) / getattr(f, field)
                                 for r, f in zip(runs, floor))

    for name, runs, anon in zip(("floor", "archive", "DWARF"), results, private):
        met = ""
        if name == "archive":
            time_met = ratio(runs, "cpu") <= TARGET_TIME
            memory_met = ratio(runs, "memory") <= TARGET_MEMORY
            met = ("yes" if time_met and memory_met else
                   "time only" if time_met else
                   "memory only" if memory_met else "no")
        print(f"| {TITLES[kind]}, {host} host | {name} "
              f"| {median(runs, 'cpu'):.2f} s | {median(runs, 'wall'):.2f} s "
              f"| {median(runs, 'memory') / 1e6:.0f} MB, {anon / 1e6:.0f} private "
              f"| {ratio(runs, 'cpu'):.2f} | {ratio(runs, 'memory'):.2f}, "
              f"{anon / private[0]:.2f} private | {met} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--address", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("binary")
    parser.add_argument("debug_file")
    args = parser.parse_args()

    version = subprocess.run(["/usr/lib/llvm-19/bin/llvm-config", "--version"],
                             capture_output=True, text=True,
                             check=True).stdout.strip()
    plugin = os.path.abspath(os.path.join(args.build, "lib",
                                          "liblldbPluginLidia.so"))
    folder = tempfile.mkdtemp()
    try:
        environment = dict(os.environ, LIDIA_CACHE_DIR=folder + "/cache")
        archive = os.path.join(folder,
                               os.path.basename(args.binary) + ".lidia")
        subprocess.run([os.path.join(args.build, "bin", "llvm-lidia"), "--crc",
                        "--lines", "--columns", "--debug-file=" +
                        args.debug_file, "-o", archive, args.binary],
                       check=True)
        print("| | with | processor | wall | memory | processor, of the floor "
              "| memory, of the floor | met |\n"
              "| --- | --- | --- | --- | --- | --- | --- | --- |")
        for host, lldb in find_hosts(version).items():
            for kind, question in QUESTIONS.items():
                question = question.format(address=args.address,
                                           function=args.function)
                sessions = [
                    session(lldb, args.binary, None, question, None),
                    session(lldb, args.binary, archive, question, plugin),
                    session(lldb, args.binary, args.debug_file, question, None)]
                print_rows(host, kind,
                           *measure(sessions, args.runs, environment))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
