#!/usr/bin/env python3
"""Measures llvm-lidia serve: requests for debug files, compared with elfutils'
debuginfod, and frames in Mozilla's symbolication API.

Both servers run on this machine, one after the other. One client sends requests with
one connection for each, as debuginfod's clients do. debuginfod returns the debug file
itself, and llvm-lidia a smaller one that it makes from the archive; the time of the
first request includes that. With --core=FILE, a core of the binary, also measures the
time of gdb's bt, with empty caches in the client and in our server. Frames: requests
with 20 stacks of 50 random addresses of functions, over one connection, without
compression.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.DEVNULL, check=True).stdout
    return re.search(r"Build ID: (\w+)", notes)[1]


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))] * 1000


def report(name, times, extra=""):
    print(f"{name}: {len(times) / sum(times):.0f} requests/s, p50 "
          f"{percentile(times, .5):.2f} ms, p99 {percentile(times, .99):.2f} ms{extra}")


def get(port, path):
    started = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", path)
    answer = connection.getresponse()
    size = len(answer.read())
    connection.close()
    return answer.status, size, time.perf_counter() - started


def ask_for_file(name, port, path, seconds):
    status, size, first = get(port, path)
    if status != 200:
        sys.exit(f"{name}: status {status} for {path}")
    times, until = [], time.perf_counter() + seconds
    while time.perf_counter() < until:
        times.append(get(port, path)[2])
    print(f"{name}: first request {first * 1000:.1f} ms, {size} bytes")
    report(name, times)


def debug(name, port, binary, core, folder):
    """Runs gdb with the stripped binary and an empty cache."""
    cache = os.path.join(folder, "client-of-" + name)
    started = time.perf_counter()
    text = subprocess.run(
        ["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled on", "-ex", "bt", binary, core],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "DEBUGINFOD_URLS": f"http://127.0.0.1:{port}",
             "DEBUGINFOD_CACHE_PATH": cache}, text=True, check=True).stdout
    seconds = time.perf_counter() - started
    size = sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(cache) for name in names)
    frames = [line for line in text.splitlines() if re.match(r"#\d+ ", line)]
    lines = sum(re.search(r" at \S+:\d+$", line) is not None for line in frames)
    print(f"{name}: gdb's bt {seconds:.1f} s, {size} bytes fetched, {len(frames)} frames, "
          f"{lines} with lines")


def start_ours(tool, store, cache):
    server = subprocess.Popen(
        [tool, "serve", f"--store={store}", "--listen=127.0.0.1:0", f"--cache-dir={cache}"],
        stderr=subprocess.PIPE, text=True)
    line = server.stderr.readline()
    return server, int(line.strip().rsplit(":", 1)[1])


def start_theirs(folder, database, identifier):
    port = 18002
    server = subprocess.Popen(
        ["debuginfod", "-F", "-p", str(port), "-d", database, folder],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            if get(port, f"/buildid/{identifier}/debuginfo")[0] == 200:
                return server, port
        except OSError:
            pass
        time.sleep(0.1)
    server.kill()
    sys.exit("debuginfod does not have the file after a minute")


def frames(port, module, addresses, seconds):
    stacks = [[[0, random.choice(addresses)] for _ in range(50)] for _ in range(400)]
    bodies = [json.dumps({"memoryMap": [module], "stacks": stacks[i * 20:i * 20 + 20]})
              for i in range(20)]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    times, until = [], time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        connection.request("POST", "/symbolicate/v5", bodies[len(times) % 20])
        connection.getresponse().read()
        times.append(time.perf_counter() - started)
    report("lidia, /symbolicate/v5", times,
           f", {1000 * len(times) / sum(times):.0f} frames/s")


def module_of(tool, archive):
    text = subprocess.run([tool, "export", "--format=breakpad", archive, "-o", "-"],
                          stderr=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    first = text.split("\n", 1)[0].split(" ", 4)
    starts = [int(line.removeprefix("FUNC ").removeprefix("m ").split(" ", 1)[0], 16)
              for line in text.splitlines() if line.startswith("FUNC ")]
    return [first[4], first[3]], starts


def peak(server):
    with open(f"/proc/{server.pid}/status", encoding="utf-8") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm-lidia", default="build/bin/llvm-lidia")
    parser.add_argument("--seconds", type=float, default=5, help="for each measurement")
    parser.add_argument("--core", help="a core of the binary, for gdb's bt")
    parser.add_argument("binary")
    parser.add_argument("debug_file", help="its debug file, or the binary again")
    options = parser.parse_args()
    tool, random_seed = os.path.abspath(options.llvm_lidia), 1
    random.seed(random_seed)
    identifier = build_id(options.binary)
    with tempfile.TemporaryDirectory() as work:
        files, store = os.path.join(work, "files"), os.path.join(work, "store")
        os.mkdir(files)
        for path in {options.binary, options.debug_file}:
            shutil.copy(path, files)
        subprocess.run([tool, "store", "add", "-q", store, files], check=True)
        archive = os.path.join(store, ".build-id", identifier[:2],
                               identifier[2:] + ".lidia.zst")
        path = f"/buildid/{identifier}/debuginfo"
        if shutil.which("debuginfod"):
            server, port = start_theirs(files, os.path.join(work, "db"), identifier)
            if options.core:
                debug("debuginfod", port, options.binary, options.core, work)
            ask_for_file("debuginfod", port, path, options.seconds)
            print(f"debuginfod: {peak(server)} MB at most")
            server.kill()
            server.wait()
        server, port = start_ours(tool, store, os.path.join(work, "cache"))
        if options.core:
            debug("lidia", port, options.binary, options.core, work)
        ask_for_file("lidia", port, path, options.seconds)
        frames(port, *module_of(tool, archive), options.seconds)
        print(f"lidia: {peak(server)} MB at most")
        server.terminate()
        server.wait()


main()
