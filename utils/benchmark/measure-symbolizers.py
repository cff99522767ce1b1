#!/usr/bin/env python3
"""Measures the gain of programs that run a symbolizer from ours, in one run.

    measure-symbolizers.py --build BUILD-FOLDER [--runs N] [--binary BINARY]
                           [--recording PERF-DATA] [--log BYTES]

With --binary, an ELF file with about 200 MB of DWARF (see fetch-inputs.sh): a sanitizer
report with 50 frames, with llvm-symbolizer and with ours. Like the sanitizer runtime,
this script starts the symbolizer, asks for one frame at a time and waits for the
answer.

With --recording, made by "perf record": "perf script" with source lines, with binutils'
addr2line and with ours first on the PATH.

With --log: "llvm-lidia filter" on a log of that many bytes without any address, and
"grep" that finds nothing.

Archives are in the cache before the measurement; the first run, which makes them, has
its own row. Runs of two tools alternate, and times are medians. Prints Markdown: a row
for each measurement, with the ratio, the target and whether it was met.
"""

import argparse
import hashlib
import importlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
benchmarks = importlib.import_module("run-benchmarks")

FRAMES = 50


def frames_of(lidia, binary, folder):
    """Addresses of functions of BINARY, the same ones each time."""
    archive = os.path.join(folder, "addresses.lidia")
    subprocess.run([lidia, "--crc", "--quiet", "--lines", binary, "-o", archive],
                   check=True)
    benchmarks.in_child(benchmarks.write_addresses, archive, folder, "none")
    os.remove(archive)
    with open(os.path.join(folder, "functions"), encoding="ascii") as file:
        return [next(file).strip() for _ in range(FRAMES)]


def report(symbolizer, binary, addresses, cache):
    """Asks like a sanitizer's runtime; returns seconds and the answers."""
    start = time.perf_counter()
    with subprocess.Popen([symbolizer, "--demangle", "--inlines", "--default-arch=x86_64"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                          env=dict(os.environ, LIDIA_CACHE_DIR=cache)) as process:
        answers = []
        for address in addresses:
            process.stdin.write(f'CODE "{binary}" {address}\n'.encode())
            answer = b""
            while not answer.endswith(b"\n\n"):
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    raise benchmarks.Failed(symbolizer + " ended")
                answer += part
            answers.append(answer)
        seconds = time.perf_counter() - start
        process.stdin.close()
        process.stdout.read()
    return seconds, answers


def places(answer):
    """The files and lines in an answer."""
    return answer.splitlines()[1::2]


def script(recording, folder, cache):
    """Runs perf script with the addr2line in FOLDER; returns seconds and a digest."""
    path = os.environ["PATH"]
    env = dict(os.environ, LIDIA_CACHE_DIR=cache,
               PATH=folder + os.pathsep + path if folder else path)
    start = time.perf_counter()
    output = subprocess.run(["perf", "script", "-i", recording, "-F", "+srcline"],
                            check=True, env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).stdout
    lines = sum(b":" in line for line in output.splitlines() if line.startswith(b"  "))
    return time.perf_counter() - start, (lines, hashlib.sha256(output).hexdigest())


def write_log(path, size):
    """A log of about SIZE bytes: lines of words, times and numbers."""
    words = ("the server answered a request from client with status after milliseconds "
             "worker queue cache miss hit retry connection closed by peer").split()
    choose = random.Random(1)
    lines = [f"2026-11-22 08:{i // 600 % 60:02}:{i % 60:02}.{i % 1000:03} INFO "
             + " ".join(choose.choices(words, k=choose.randint(4, 20)))
             + f" id={choose.randrange(10 ** 9)}\n" for i in range(20000)]
    block = "".join(lines).encode()
    with open(path, "wb") as file:
        while file.tell() < size:
            file.write(block)


def duration(*command):
    """The wall time of COMMAND, whose exit status may be 1 if it found nothing."""
    start = time.perf_counter()
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if status not in (0, 1):
        raise benchmarks.Failed(f"{command[0]} ended with the status {status}")
    return time.perf_counter() - start


def measure_filter(table, lidia, runs, log):
    times = [(duration(lidia, "filter", log),
              duration("grep", "-c", "0xdeadbeef", log)) for _ in range(runs)]
    ours, theirs = (statistics.median(column) for column in zip(*times))
    size = os.path.getsize(log)
    table.row(f"`filter`, a log of {benchmarks.megabytes(size)} without addresses; "
              "`grep -c` of an address",
              f"{size / ours / 1e6:.0f} MB/s", f"{size / theirs / 1e6:.0f} MB/s",
              target="at least 200 MB/s", met=size / ours >= 200e6)


def compare(runs, theirs, ours):
    """The time of our first run, and the medians of both."""
    first, our_answers = ours()
    times = [[], []]
    for _ in range(runs):
        for function, result in zip((theirs, ours), times):
            seconds, answers = function()
            result.append(seconds)
            if function is theirs:
                their_answers = answers
    return first, *map(statistics.median, times), their_answers, our_answers


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, metavar="FOLDER",
                        help="the build folder, with its bin and libexec")
    parser.add_argument("--runs", type=int, default=3, metavar="N",
                        help="runs of each tool (default: 3)")
    parser.add_argument("--binary", help="an ELF file with DWARF")
    parser.add_argument("--recording", help="the output of perf record")
    parser.add_argument("--log", type=int, metavar="BYTES", help="the size of a log")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    ours = os.path.join(build, "libexec", "lidia")
    original = benchmarks.find_peer("llvm-symbolizer")
    print(f"{benchmarks.machine()}. `llvm-symbolizer`: {benchmarks.version(original)}.")
    if args.recording:
        print(f"`perf`: {benchmarks.version('perf')}.")
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        table = benchmarks.Table("In place of other symbolizers")
        if args.log:
            log = os.path.join(folder, "log")
            write_log(log, args.log)
            measure_filter(table, os.path.join(build, "bin", "llvm-lidia"), args.runs, log)
            os.remove(log)
        if args.binary:
            binary = os.path.abspath(args.binary)
            addresses = frames_of(os.path.join(build, "bin", "llvm-lidia"), binary, folder)
            first, their_time, our_time, theirs, answers = compare(
                args.runs, lambda: report(original, binary, addresses, cache),
                lambda: report(os.path.join(ours, "llvm-symbolizer"), binary, addresses,
                               cache))
            work = f"a sanitizer's report of {FRAMES} frames, `{os.path.basename(binary)}`"
            table.faster(work + "; `llvm-symbolizer`", our_time, their_time, 10)
            table.faster("the same, the archive is made first", first, their_time, 0)
            same = sum(a == b for a, b in zip(theirs, answers))
            lines = sum(places(a) == places(b) for a, b in zip(theirs, answers))
            table.row("equal answers; equal but for the spelling of names",
                      f"{same} of {FRAMES}", f"{lines} of {FRAMES}")
        if args.recording:
            first, their_time, our_time, theirs, answers = compare(
                args.runs, lambda: script(args.recording, None, cache),
                lambda: script(args.recording, ours, cache))
            table.faster("`perf script -F +srcline`; binutils' `addr2line`", our_time,
                         their_time, 20)
            table.faster("the same, the archives are made first", first, their_time, 0)
            table.row("lines", f"{answers[0]:,}", f"{theirs[0]:,}",
                      ratio="the same output" if answers == theirs
                      else "the output differs")
        print(benchmarks.markdown(table.result))


if __name__ == "__main__":
    main()
