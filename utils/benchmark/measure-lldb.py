#!/usr/bin/env python3
"""Measures LLDB with DWARF and with an archive, in one run.

    measure-lldb.py --build BUILD-FOLDER [--runs N] BINARY DEBUG-FILE
                    --address ADDRESS --function NAME

BINARY is a stripped ELF file with 100 MB of DWARF or more, and DEBUG-FILE its
debug file (see fetch-inputs.sh). Each measurement is a whole process of LLDB
that loads the symbols and runs one query: `image lookup -a` or a breakpoint by
name. Hosts are Debian's lldb-19 and, if utils/build-lldb.sh has built it, the
LLDB that exports lldb_private. In the distribution's host the archive's
exported form is in the cache when the clock starts.

Prints Markdown: seconds and peak memory with DWARF and with the archive, their
ratios, and the targets. Runs alternate and medians are taken.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# The promised speed-ups and shares of the memory.
TARGETS = {
    ("exporting", "lookup"): (8, 1 / 5),
    ("distribution", "lookup"): (4, 1 / 3),
    ("exporting", "breakpoint"): (15, None),
    ("distribution", "breakpoint"): (5, None),
}
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


def run(command, environment):
    """Runs COMMAND; returns seconds, peak memory in bytes and its output."""
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=output,
                                   env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = status
        output.seek(0)
        text = output.read()
    return seconds, usage.ru_maxrss * 1024, text, status


def session(host, binary, symbols, question, plugin):
    """The command line of one LLDB that asks QUESTION."""
    commands = [f"plugin load {plugin}"] if plugin else []
    commands += [f"target create {binary}", f"target symbols add {symbols}",
                 question]
    line = [host, "-b", "--no-lldbinit"]
    for command in commands:
        line += ["-o", command]
    return line


def measure(sessions, runs, environment):
    """Medians of seconds and memory of each session, runs alternating."""
    results = [[] for _ in sessions]
    for turn in range(runs + 1):
        for line, result in zip(sessions, results):
            seconds, memory, text, status = run(line, environment)
            if status or "error:" in text or "pending" in text:
                sys.exit(f"{' '.join(line)}:\n{text}")
            # The first run fills the page cache and the archive cache.
            if turn:
                result.append((seconds, memory))
    return [tuple(statistics.median(v) for v in zip(*r)) for r in results]


def print_row(host, kind, dwarf, archive):
    faster, share = dwarf[0] / archive[0], archive[1] / dwarf[1]
    speed_target, share_target = TARGETS[host, kind]
    target = f"{speed_target} times"
    met = faster >= speed_target
    if share_target:
        target += f", {share_target:.2f} of the memory"
        met = met and share <= share_target
    print(f"| {TITLES[kind]}, {host} host "
          f"| {dwarf[0]:.2f} s, {dwarf[1] / 1e6:.0f} MB "
          f"| {archive[0]:.2f} s, {archive[1] / 1e6:.0f} MB "
          f"| {faster:.1f} times, {share:.2f} of the memory "
          f"| {target} | {'yes' if met else 'no'} |", flush=True)


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
        print("| | DWARF | archive | ratio | target | met |\n"
              "| --- | --- | --- | --- | --- | --- |")
        for host, lldb in find_hosts(version).items():
            for kind, question in QUESTIONS.items():
                question = question.format(address=args.address,
                                           function=args.function)
                sessions = [
                    session(lldb, args.binary, args.debug_file, question, None),
                    session(lldb, args.binary, archive, question, plugin)]
                print_row(host, kind,
                          *measure(sessions, args.runs, environment))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
