#!/usr/bin/env python3
"""Compares a filtered sanitizer report with the runtime's own.

    same-as-runtime.py SANITIZER SYMBOLIZER COMMAND...

Runs COMMAND, a program built with SANITIZER (asan, ubsan, tsan), twice: with a
symbolizer, and without one through "llvm-lidia filter". SYMBOLIZER is the program that
the runtime starts, or "none" if it reads debug information itself. Prints the filtered
report, and fails if the two differ.

The comparison ignores process IDs, addresses and the bytes around them, which are
random; lines about data, for which a log has no code address; frames below main, which
ThreadSanitizer omits if it recognizes them; and, without a SYMBOLIZER, columns and the
folders of files, which GCC's runtimes do not print.
"""

import difflib
import os
import re
import subprocess
import sys

SANITIZER, SYMBOLIZER = sys.argv[1:3]
COMMAND = sys.argv[3:]
PREFIX = SANITIZER.upper() + "_"


def run(options, command):
    env = dict(os.environ)
    if SANITIZER == "ubsan":
        options += ":print_stacktrace=1"
    env[PREFIX + "OPTIONS"] = options
    if SYMBOLIZER != "none":
        env[PREFIX + "SYMBOLIZER_PATH"] = SYMBOLIZER
    # ThreadSanitizer sometimes misses a race.
    for _ in range(50):
        text = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, errors="replace",
                              stdin=subprocess.DEVNULL).stdout
        if SANITIZER != "tsan" or "SUMMARY" in text:
            break
    return text


def normalize(text):
    text = re.sub(r"==\d+==|\b[pt]id=\d+(?:, running|, finished)?", "(N)", text)
    text = re.sub(r"\n(=>| *)0x[0-9a-f]+: ?(?:[\[ ]?[0-9a-f]{2}[\] ]?)+(?=\n)", "\nSHADOW",
                  text)
    text = re.sub(r"(?<!\+)0x[0-9a-f]+", "0xN", text)
    if SYMBOLIZER == "none":
        text = re.sub(r"(:\d+):\d+", r"\1", text)
        text = re.sub(r"[^\s(]*/", "", text).replace("__interceptor_", "")
    return [line for line in text.splitlines()
            if not re.search(r"__libc_start|libc\.so|_start|Location is global|"
                             r"global variable|start_thread|clone|start_func", line)
            and line.strip()]


if __name__ == "__main__":
    own = run("symbolize=1", COMMAND)
    raw = run("symbolize=0", COMMAND)
    filtered = subprocess.run(["llvm-lidia", "filter", "--sysroot=/"], input=raw, text=True, check=True,
                              stdout=subprocess.PIPE).stdout
    print(filtered)
    difference = list(difflib.unified_diff(normalize(own), normalize(filtered), "runtime",
                                           "filter", lineterm=""))
    if difference:
        sys.exit("the reports differ:\n" + "\n".join(difference))
