#!/usr/bin/env python3
"""ask-questions.py SOURCE: records two releases of a program with perf, and asks the
questions of docs/Profiles.md of the recordings, with one command each.

Builds SOURCE twice and records it in the current folder: before.data and perf.data.
Prints a line for each question, and ends with 1 if an answer is not what the program
does."""

import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def record(source, release, data):
    run("cc", "-g", "-O1", "-fno-omit-frame-pointer", f"-DRELEASE={release}", "-pthread",
        source, "-o", "server")
    # Each page fault: perf adapts a frequency to what came before, and can miss thousands.
    run("perf", "record", "-q", "-g", "--sample-cpu", "--buildid-all",
        "-e", "cpu-clock/freq=997,name=cpu-clock/u",
        "-e", "page-faults/period=1,name=page-faults/u", "-o", data, "./server")
    # The next release replaces the program.
    run("llvm-lidia", "store", "add", "-q", "symbols", "server")


def profile(*options):
    return run("llvm-lidia", "profile", "-q", "--store=symbols", *options)


def rows(text):
    """The first words after the numbers of a table's rows."""
    found = [re.match(r"\s*[-+0-9].*%\s+~?\s*(\S.*)$", line) for line in text.splitlines()]
    return [match[1].split()[0].strip("[]") for match in found if match]


def questions(hot):
    top = ["perf.data", "--format=top"]
    folded = ["perf.data", "--format=folded", "--raw-units"]
    yield ("which thread spends the time", [*top, "--by=thread"],
           lambda text: rows(text)[0].startswith("worker"))
    yield ("what does the process do on processor 0", [*folded, "--process=server", "--cpu=0"],
           lambda text: "worker;" in text and "parse" in text)
    yield ("what did the slow time do", [*top, "--time=90%-100%"],
           lambda text: "slow_query" in text and "parse" not in text)
    yield ("who calls fill, and how much does it cost", [*folded, "--focus=^fill$"],
           lambda text: all("work;keep;fill" in line for line in text.splitlines()))
    yield ("what is left without the collector", [*folded, "--ignore=^collect$"],
           lambda text: "collect" not in text and "parse" in text)
    yield ("which module", [*top, "--by=module"], lambda text: rows(text)[0] == "server")
    yield ("which line", [*top, "--by=line"],
           lambda text: f"questions.c:{hot}" in next(
               line for line in text.splitlines() if " parse " in line))
    yield ("what costs most with all that it calls", [*top, "--sort=total", "--limit=4"],
           lambda text: "work" in rows(text))
    yield ("what did the release change", [*top, "--base=before.data"],
           lambda text: rows(text)[0] == "lookup" and "+" in text)
    yield ("which allocation grew", [*top, "--event=page-faults", "--base=before.data"],
           lambda text: "grow" in rows(text)[:2] and "~" not in next(
               line for line in text.splitlines() if " grow " in line))
    yield ("where in this function", ["perf.data", "--list=^parse$"],
           lambda text: re.search(r"\d ms .*/\* hot \*/", text))
    yield ("and the page faults", [*top, "--event=page-faults"],
           lambda text: rows(text)[0] in ("fill", "grow"))
    yield ("what did all of them do", [*top, "--merge", "before.data"],
           lambda text: "parse" in rows(text))


def main():
    source = sys.argv[1]
    record(source, 1, "before.data")
    record(source, 2, "perf.data")
    with open(source, encoding="utf-8") as file:
        hot = next(number for number, line in enumerate(file, 1) if "/* hot */" in line)
    failed = 0
    for question, options, is_right in questions(hot):
        text = profile(*options)
        try:
            right = bool(is_right(text))
        except (IndexError, ValueError, StopIteration):
            right = False
        print(f"{question}: {'answered' if right else 'WRONG'}")
        if not right:
            print(" ".join(options), text, sep="\n")
            failed += 1
    return 1 if failed else 0


sys.exit(main())
