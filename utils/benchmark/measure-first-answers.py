#!/usr/bin/env python3
"""Measures first answers beside blazesym: 1,000 addresses, from the start of a program to
its end.

    measure-first-answers.py --build BUILD-FOLDER --binary BINARY [--runs N] [--write PAGE]

BINARY is an ELF file with a .symtab and DWARF, such as fetch-inputs.sh gets; a copy with
uncompressed sections is measured. The other input is a Python that has imported much. All
files are in the system's page cache. Each program gets the same addresses: the first of C
(first-answers.c, compiled here), the other of Rust (blazesym-reader). Runs of the two
alternate; what takes more than ten seconds runs once. Figures are medians of the wall clock
and of processor time, and the greatest peak of resident memory. "Named" and "lines" are the
addresses of which an answer has one. Prints Markdown, or writes it between two comments of
PAGE.
"""

import argparse
import datetime
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

COUNT = 1000
# Seconds. What takes longer is measured once.
SLOW = 10
START, END = "<!-- first answers -->", "<!-- end -->"
NAMES_ONLY, LINES_LATER = 8, 16
MODULES = ("asyncio ctypes decimal hashlib json lzma multiprocessing sqlite3 ssl "
           "unittest xml.etree.ElementTree zlib bz2 curses readline").split()
SERVER = "\n".join([f"try:\n import {name}\nexcept ImportError:\n pass" for name in MODULES] +
                   ["import sys", "print('ready', flush=True)", "sys.stdin.read()"])


def compile_ours(build, folder):
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    program = os.path.join(folder, "first-answers")
    subprocess.run(["cc", "-O2", f"-I{source}/include", f"-I{build}/include",
                    f"{source}/utils/benchmark/first-answers.c", "-o", program,
                    f"-L{build}/lib", "-llidia", f"-Wl,-rpath,{build}/lib"], check=True)
    return program


def addresses_of(binary):
    """Addresses in functions of BINARY, the same ones each time."""
    listed = subprocess.run(["nm", "--defined-only", "--print-size", binary], check=True,
                            capture_output=True, text=True).stdout
    functions = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tTwW] ", listed, re.MULTILINE)
    source = random.Random(1)
    chosen = source.choices([(int(a, 16), int(b, 16)) for a, b in functions], k=COUNT)
    return [start + source.randrange(max(size, 1)) for start, size in chosen]


def addresses_of_process(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        parts = [line.split()[0].split("-") for line in file
                 if " r-xp " in line and "/" in line]
    source = random.Random(1)
    chosen = source.choices([(int(a, 16), int(b, 16)) for a, b in parts], k=COUNT)
    return [source.randrange(begin, end) for begin, end in chosen], len(parts)


def run(command, addresses):
    """Seconds, seconds of processors, bytes, and standard output; None if it fails. The kernel
    counts the memory of the process that starts a program as the program's, so GNU's small
    time does it."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as given:
        given.write("".join(f"{address:x}\n" for address in addresses).encode())
        given.seek(0)
        peak = os.path.join(folder, "peak")
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        before, started = used(), time.perf_counter()
        done = subprocess.run(["time", "--format=%M", f"--output={peak}", *command],
                              stdin=given, stdout=subprocess.PIPE, check=False, text=True)
        seconds = time.perf_counter() - started
        if done.returncode:
            return None
        with open(peak, encoding="ascii") as file:
            return seconds, used() - before, int(file.read()) * 1024, done.stdout


def counts(output):
    """Named addresses and those with a line, in either program's output."""
    ours = re.fullmatch(r"(\d+) (\d+)\n", output)
    if ours:
        return int(ours[1]), int(ours[2])
    # An empty line ends each answer.
    innermost, is_first = [], True
    for line in output.splitlines():
        if line and is_first:
            innermost.append(line)
        is_first = not line
    return len(innermost), sum(not line.endswith(":0") for line in innermost)


def measure(title, rows, runs, addresses, prepare):
    """The lines of a table. ROWS is a list of (name, command); prepare(name) is called
    before each run."""
    results = {name: [] for name, _ in rows}
    for _ in range(runs):
        for name, command in rows:
            if not results[name] or results[name][0] and results[name][0][0] < SLOW:
                prepare(name)
                results[name].append(run(command, addresses))
    lines = [title, "", "| | time | processor | memory | named | lines |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, _ in rows:
        if None in results[name]:
            lines.append(f"| {name} | fails | | | | |")
            continue
        seconds = statistics.median(result[0] for result in results[name])
        processors = statistics.median(result[1] for result in results[name])
        peak = max(result[2] for result in results[name])
        named, with_line = counts(results[name][0][3])
        lines.append(f"| {name} | {seconds * 1000:,.0f} ms | {processors * 1000:,.0f} ms | "
                     f"{peak / 1e6:.1f} MB | {named} | {with_line} |")
    return lines


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    return f"{os.cpu_count()} processors ({model[1] if model else os.uname().machine})"


def write(page, lines):
    """Replaces the text between the two comments of PAGE."""
    with open(page, encoding="utf-8") as file:
        before, start, rest = file.read().partition(START)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f"{page} has no line {START} with an end")
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + start + "\n" + "\n".join(lines) + "\n" + end + after)


def measure_file(ours, blazesym, binary, folder, runs):
    plain = os.path.join(folder, "plain.debug")
    subprocess.run(["objcopy", "--decompress-debug-sections",
                    os.path.realpath(binary), plain], check=True)
    cache, kept = os.path.join(folder, "cache"), os.path.join(folder, "kept")
    addresses = addresses_of(plain)
    run([ours, plain, "0", kept], addresses)
    return measure(
        f"1,000 addresses in {os.path.basename(binary)}, {os.path.getsize(plain) / 1e6:.0f} MB:",
        [("lidia, names only", [ours, plain, str(NAMES_ONLY), cache]),
         ("blazesym, names only", [blazesym, "--names", plain]),
         ("lidia, from nothing", [ours, plain, "0", cache]),
         ("blazesym", [blazesym, plain]),
         ("lidia, again", [ours, plain, "0", kept])],
        runs, addresses, lambda _: shutil.rmtree(cache, ignore_errors=True))


def measure_process(ours, blazesym, folder, runs):
    cache, kept = os.path.join(folder, "cache"), os.path.join(folder, "kept-process")
    with subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        addresses, modules = addresses_of_process(process.pid)
        pid = str(process.pid)
        run([ours, pid, "0", kept], addresses)
        lines = measure(
            f"1,000 addresses of a live Python with {modules} modules:",
            [("lidia, names only", [ours, pid, str(NAMES_ONLY), cache]),
             ("lidia, lines later", [ours, pid, str(NAMES_ONLY | LINES_LATER), cache]),
             ("lidia, from nothing", [ours, pid, "0", cache]),
             ("blazesym", [blazesym, "--pid", pid]),
             ("lidia, again", [ours, pid, "0", kept])],
            runs, addresses, lambda _: shutil.rmtree(cache, ignore_errors=True))
        process.stdin.close()
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--write", metavar="PAGE")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    blazesym = os.path.join(build, "bin", "blazesym-reader")
    if not os.path.exists(blazesym):
        sys.exit(f"{blazesym}: build the target blazesym-reader")
    with tempfile.TemporaryDirectory() as folder:
        ours = compile_ours(build, folder)
        of_file = measure_file(ours, blazesym, options.binary, folder, options.runs)
        of_process = measure_process(ours, blazesym, folder, options.runs)
    load = os.getloadavg()[0]
    lines = [f"Measured by `utils/benchmark/measure-first-answers.py --runs={options.runs}` on "
             f"{datetime.date.today()},", f"{machine()}, load {load:.1f} at the end.", "",
             *of_file, "", *of_process]
    if options.write:
        write(options.write, lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
