#!/usr/bin/env python3
"""Runs all fuzz targets of a build for a given time, and prints the results.

    cmake --preset fuzz-fast && cmake --build --preset fuzz-fast
    utils/fuzz/run-fuzzers.py --build build-fuzz-fast --seconds 600

Each target gets its share of the time, starts from the checked-in inputs
(test/Fuzz/corpus) and those found before (--corpus), and continues after a crash. The
printed table has the runs, the runs per second, the edges and the crashes of this call.
With --total FILE, that file accumulates the runs and the highest number of edges of all
calls: the columns of docs/Robustness.md, which has the runs of both builds.

The exit status is 1 if something crashed: the inputs are in --crashes.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The seeds of each target (below the source tree), its maximum input size, its
# dictionary and its share of the time.
TARGETS = {
    "archive": (["test/Fuzz/corpus/archive"], 1024, "archive.dict", 2),
    "verify": (["test/Fuzz/corpus/verify", "test/Fuzz/corpus/archive"], 1024, "archive.dict", 1),
    "writer": (["test/Fuzz/corpus/writer"], 512, None, 2),
    "yaml": (["test/Fuzz/corpus/yaml"], 1024, "yaml.dict", 1),
    "dump": (["test/Fuzz/corpus/dump"], 1024, "archive.dict", 1),
    "printer": (["test/Fuzz/corpus/printer"], 512, None, 1),
    "export": (["test/Fuzz/corpus/export"], 512, None, 2),
    "variables": (["test/Fuzz/corpus/variables"], 2048, None, 2),
    "cache": (["test/Fuzz/corpus/cache"], 1024, "archive.dict", 1),
    "c-interface": (["test/Fuzz/corpus/archive"], 1024, "archive.dict", 1),
    "unwind": (["test/Fuzz/corpus/unwind"], 1024, None, 1),
    "names": (["test/Fuzz/corpus/names"], 256, "names.dict", 3),
    "query": (["test/Fuzz/corpus/query"], 256, None, 3),
    "process-text": (["test/Fuzz/corpus/process-text"], 512, None, 1),
    "log-line": (["test/Fuzz/corpus/log-line"], 512, None, 1),
    "pprof": (["test/Fuzz/corpus/pprof"], 512, None, 1),
    "perf-data": (["test/Fuzz/corpus/perf-data"], 4096, None, 1),
    "perf-script": (["test/Fuzz/corpus/perf-script"], 1024, None, 1),
    "profile-text": (["test/Fuzz/corpus/profile-text"], 1024, None, 1),
    "flame-graph": (["test/Fuzz/corpus/flame-graph"], 512, None, 1),
    "arrow": (["test/Fuzz/corpus/arrow"], 1024, None, 1),
    "otlp": (["test/Fuzz/corpus/otlp"], 2048, None, 1),
    "server": (["test/Fuzz/corpus/server"], 2048, None, 1),
    "store": (["test/Fuzz/corpus/store"], 4096, None, 1),
    "core": (["test/Fuzz/corpus/core"], 2048, "elf.dict", 1),
    "minidump": (["test/Fuzz/corpus/minidump"], 4096, None, 1),
    "convert": (["test/Fuzz/corpus/convert"], 8192, "elf.dict", 3),
    "agreement": (["test/Fuzz/corpus/agreement"], 1024, None, 2),
    "coff": (["test/Fuzz/corpus/coff"], 4096, None, 1),
    "mach-o": (["test/Fuzz/corpus/mach-o"], 4096, None, 1),
    "relocation": (["test/Fuzz/corpus/relocation"], 8192, "elf.dict", 1),
    "index": (["test/Fuzz/corpus/convert"], 8192, "elf.dict", 1),
    "pair": (["test/Fuzz/corpus/pair"], 20000, "elf.dict", 1),
    "go": (["test/Fuzz/corpus/go"], 20000, "elf.dict", 1),
    "debugdata": (["test/Fuzz/corpus/debugdata"], 4096, "elf.dict", 1),
    "symbol-file": (["test/Fuzz/corpus/symbol-file"], 16384, None, 1),
    "wasm": (["test/Fuzz/corpus/wasm"], 4096, None, 1),
    "zip": (["test/Fuzz/corpus/zip"], 4096, None, 1),
    "source-bundle": (["test/Fuzz/corpus/source-bundle"], 4096, None, 1),
    "tombstone": (["test/Fuzz/corpus/tombstone"], 4096, None, 1),
    "debugfiles": (["test/Fuzz/corpus/debugfiles"], 4096, "elf.dict", 1),
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-fuzz-fast", help="a build with LIDIA_BUILD_FUZZERS")
    parser.add_argument("--seconds", type=float, default=600, help="for all targets together")
    parser.add_argument("--corpus", default="fuzz-corpus", help="folder of what was found")
    parser.add_argument("--crashes", default="fuzz-crashes", help="folder of inputs that crash")
    parser.add_argument("--memory", type=int, default=2048, help="MiB that an input may take")
    parser.add_argument("--total", help="JSON file of the runs of all calls")
    parser.add_argument("targets", nargs="*", help="default: all")
    return parser.parse_args()


def run_once(name, seconds, arguments):
    """(runs, edges) of one process of libFuzzer."""
    seeds, longest, dictionary, _ = TARGETS[name]
    found = os.path.join(arguments.corpus, name)
    os.makedirs(found, exist_ok=True)
    command = [
        os.path.join(arguments.build, "bin", "lidia-%s-fuzzer" % name),
        "-max_len=%d" % longest,
        "-max_total_time=%d" % max(1, seconds),
        "-rss_limit_mb=%d" % arguments.memory,
        # libarchive asks for the 4 GiB that a name may have, and does not touch them.
        "-malloc_limit_mb=%d" % max(arguments.memory, 5000),
        "-timeout=20",
        "-print_final_stats=1",
        "-artifact_prefix=%s/%s-" % (arguments.crashes, name),
    ]
    if dictionary:
        command.append("-dict=" + os.path.join(SOURCE, "utils", "fuzz", dictionary))
    folders = [found] + [os.path.join(SOURCE, seed) for seed in seeds]
    command += [folder for folder in folders if os.path.isdir(folder)]
    log = os.path.join(arguments.crashes, name + ".log")
    with open(log, "w") as output:
        subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    with open(log, errors="replace") as output:
        text = output.read()
    runs = re.search(r"stat::number_of_executed_units: (\d+)", text)
    edges = re.findall(r"cov: (\d+)", text)
    return int(runs.group(1)) if runs else 0, max(map(int, edges), default=0)


def run_target(name, seconds, arguments):
    """(runs, edges, seconds) of one target, which is restarted after each crash."""
    start = time.monotonic()
    runs = edges = 0
    while True:
        left = seconds - (time.monotonic() - start)
        if left < 1:
            return runs, edges, time.monotonic() - start
        more, seen = run_once(name, left, arguments)
        runs, edges = runs + more, max(edges, seen)
        if not more and not seen:
            return runs, edges, time.monotonic() - start


def add_to_total(path, name, runs, edges):
    total = {}
    if os.path.exists(path):
        with open(path) as file:
            total = json.load(file)
    entry = total.setdefault(name, {"runs": 0, "edges": 0})
    entry["runs"] += runs
    entry["edges"] = max(entry["edges"], edges)
    with open(path + ".new", "w") as file:
        json.dump(total, file, indent=1, sort_keys=True)
    os.rename(path + ".new", path)


def crashes_of(name, arguments):
    kinds = ("crash", "oom", "timeout", "leak")
    return [path for kind in kinds
            for path in glob.glob("%s/%s-%s-*" % (arguments.crashes, name, kind))]


def main():
    arguments = parse_arguments()
    os.makedirs(arguments.crashes, exist_ok=True)
    names = arguments.targets or [
        name for name in TARGETS
        if os.path.exists(os.path.join(arguments.build, "bin", "lidia-%s-fuzzer" % name))]
    shares = sum(TARGETS[name][3] for name in names)
    print("| target | runs | runs/s | edges | crashes |\n| --- | ---: | ---: | ---: | ---: |")
    all_runs = all_crashes = 0
    for name in names:
        seconds = arguments.seconds * TARGETS[name][3] / shares
        runs, edges, took = run_target(name, seconds, arguments)
        if arguments.total:
            add_to_total(arguments.total, name, runs, edges)
        crashed = len(crashes_of(name, arguments))
        print("| %s | %d | %.0f | %d | %d |" % (name, runs, runs / took, edges, crashed), flush=True)
        all_runs += runs
        all_crashes += crashed
    print("| all | %d | | | %d |" % (all_runs, all_crashes))
    return 1 if all_crashes else 0


if __name__ == "__main__":
    sys.exit(main())
