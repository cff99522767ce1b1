#!/usr/bin/env python3
"""Crashes programs in many ways, and looks for the cause in the dossier of each.

usage: seeded-crashes.py SOURCES [WAY...]

Builds the programs in the folder SOURCES, and makes a core of each crash with gdb, or the
text that a sanitizer or Go prints. The cause is the line with the comment "cause: WAY": its
function, file and line must be in the first 2,000 bytes of `llvm-lidia report --max-size`, as
Markdown and as JSON. Both must have at most that size, and be equal when they are made
again. Tries each $LIDIA_TEST_EVERY-th way, prints a line for it, and one with the number
of those that are right.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys

SOURCES = sys.argv[1]
FIRST = 2000
SIZE = 16 << 10
WAYS = []


def way(name, **more):
    def add(function):
        WAYS.append((name, function, more))
        return function
    return add


def run(*command, check=True, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=check, **more).stdout


def source(name):
    return os.path.join(SOURCES, name)


def cause_of(name):
    """The function, file and line with the mark of NAME."""
    for file in sorted(os.listdir(SOURCES)):
        if not file.endswith((".cpp", ".c", ".go", ".rs")):
            continue
        with open(source(file), encoding="utf-8") as lines:
            function = None
            for number, line in enumerate(lines, 1):
                if found := re.match(r"(?:__attribute__\S+ )?\S.*?(\w+)\(.*\{$", line.rstrip()):
                    function = found[1]
                mark = line.partition("cause: ")[2]
                if name in mark.strip().split(", "):
                    return function, file, number
    sys.exit(f"no line has the mark of {name}")


def build_crashes():
    if os.path.exists("crashes"):
        return
    flags = ["-g", "-O1", "-fno-optimize-sibling-calls", "-fstack-protector-all"]
    run("cc", *flags, "-shared", "-fPIC", source("library.c"), "-o", "libfail.so")
    run("c++", *flags, "-U_FORTIFY_SOURCE", "-pthread", source("crashes.cpp"), "-o",
        "crashes", "-L.", "-lfail", "-Wl,-rpath,$ORIGIN")


def core_of(program, *arguments):
    core = "core." + (arguments[0] if arguments else os.path.basename(program))
    run("gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex",
        "handle SIGALRM stop", "-ex", f"run {' '.join(arguments)} >/dev/null 2>&1",
        "-ex", f"gcore {core}", program, env={**os.environ, "RUST_BACKTRACE": "0"})
    return core, ["--sysroot=/"]


def crash(name):
    build_crashes()
    return core_of("./crashes", name)


for NAME in ["null", "null-text", "stack-overflow", "deadlock", "assertion", "exception",
             "out-of-memory", "double-free", "division", "illegal", "bus", "pure-virtual",
             "library", "thread", "stack-smash", "handler"]:
    way(NAME)(lambda name=NAME: crash(name))


@way("jit", skip=platform.machine() != "x86_64" and "its code is that of x86-64")
def jit():
    return crash("jit")


@way("stripped")
def stripped():
    build_crashes()
    run("llvm-lidia", "store", "add", "-q", "store", "crashes")
    run("strip", "crashes", "-o", "stripped")
    core, _ = core_of("./stripped", "null")
    return core, ["--sysroot=/", "--store=store"]


@way("wrong-build")
def wrong_build():
    shutil.copy("crashes", "replaced")
    run("llvm-lidia", "store", "add", "-q", "store", "crashes")
    core, _ = core_of("./replaced", "null")
    with open(source("crashes.cpp"), encoding="utf-8") as file:
        text = file.read()
    os.makedirs("other", exist_ok=True)
    with open("other/crashes.cpp", "w", encoding="utf-8") as file:
        file.write("\n" * 7 + text)
    run("c++", "-g", "-O1", "-pthread", "other/crashes.cpp", "-o", "replaced", "-L.", "-lfail")
    return core, ["--sysroot=/", "--store=store"]


def sanitized(name):
    run("cc", "-g", "-O1", "-fsanitize=address", source("memory.c"), "-o", "memory")
    with open(name + ".log", "wb") as log:
        log.write(run("./memory", name, check=False,
                      env={**os.environ, "ASAN_OPTIONS": "symbolize=0"}))
    return name + ".log", ["--sysroot=/"]


for NAME in ["use-after-free", "heap-overflow"]:
    way(NAME)(lambda name=NAME: sanitized(name))


@way("go-panic", skip=not shutil.which("go") and "go is missing")
def go_panic():
    run("go", "build", "-o", "panic-go", source("panic.go"))
    with open("go-panic.log", "wb") as log:
        log.write(run("./panic-go", check=False))
    return "go-panic.log", []


@way("rust-panic", skip=not shutil.which("rustc") and "rustc is missing")
def rust_panic():
    run("rustc", "-g", "-C", "panic=abort", source("panic.rs"), "-o", "panic-rust")
    return core_of("./panic-rust")


def dossier(file, options, form):
    # -q for the bytes: warnings are part of both.
    return run("llvm-lidia", "report", "-q", "--no-cache", f"--format={form}",
               f"--max-size={SIZE}", *options, f"--source-path={SOURCES}", file)


def problems_of(name, file, options):
    function, source_name, line = cause_of(name)
    for form in ["markdown", "json"]:
        text = dossier(file, options, form)
        start = text[:FIRST].decode(errors="replace")
        if not re.search(rf"\b{function}\b", start):
            yield f"{form}: no {function}"
        if not re.search(rf"{re.escape(source_name)}:{line}\b", start):
            yield f"{form}: no {source_name}:{line}"
        if len(text) > SIZE:
            yield f"{form}: {len(text)} bytes"
        if dossier(file, options, form) != text:
            yield f"{form}: another text the second time"
        if form == "json":
            json.loads(text)


def main():
    wanted = sys.argv[2:]
    tried = right = 0
    for name, make, more in WAYS[::int(os.environ.get("LIDIA_TEST_EVERY", "1"))]:
        if wanted and name not in wanted:
            continue
        if reason := more.get("skip"):
            print(f"{name}: skipped: {reason}")
            continue
        tried += 1
        file, options = make()
        problems = list(problems_of(name, file, options))
        print(f"{name}: {'; '.join(problems) or 'right'}", flush=True)
        right += not problems
        if not wanted:
            os.remove(file)
    print(f"{right} of {tried} are right")


main()
