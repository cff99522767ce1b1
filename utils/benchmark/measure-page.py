#!/usr/bin/env python3
"""Measures the page of a server, and flame graphs, in Chromium.

    measure-page.py --build BUILD-FOLDER [--runs N] [--stacks N]

A log of 10,000 frames and one of 100,000 lines are dropped on the page of
`llvm-lidia serve`, and each is opened as a page that `llvm-lidia report` has written.
A profile with N different stacks (a million) becomes a flame graph. The times are
those from the drop, or from the beginning of the navigation, to the first frame that
shows the answer. Of writing a page, processor time and peak memory are those of the
program. Prints Markdown; times are medians of the runs.
"""

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = os.path.join(ROOT, "test", "Inputs")
sys.path.insert(0, os.path.join(ROOT, "test", "Profile", "Inputs"))
from browser import Browser  # noqa: E402

BUILD_ID = "166acf827f01aa2a2feae66d3efb2f57ab5355d1"
FRAME = f"    #{{}} 0x55ddcafb1f16  (/bin/a+0x400197) (BuildId: {BUILD_ID})\n"
# Waits for two frames: the second begins after the first was painted.
PAINTED = ("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame("
           "() => done(performance.now()))))")


def varint(number):
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def field(number, body):
    if isinstance(body, int):
        return varint(number << 3) + varint(body)
    return varint(number << 3 | 2) + varint(len(body)) + body


def profile(count, functions=4000, depth=24):
    """A profile of pprof with COUNT different stacks."""
    chance = random.Random(1)
    strings = [b"", b"samples", b"count"] + [b"space::function_%d(int)" % i
                                            for i in range(functions)]
    parts = [field(1, field(1, 1) + field(2, 2))]
    for i in range(functions):
        parts.append(field(4, field(1, i + 1) + field(4, field(1, i + 1))))
        parts.append(field(5, field(1, i + 1) + field(2, i + 3)))
    # Callers have few callees, so that stacks have much in common, as real ones do.
    for i in range(count):
        stack, at = [], 1
        for level in range(depth):
            stack.append(at)
            spread = 3 if level < 8 else 40
            at = (at * 7 + chance.randrange(spread)) % functions + 1
        stack.append(i % functions + 1)
        body = b"".join(map(varint, reversed(stack)))
        parts.append(field(2, field(1, body) + field(2, varint(1 + i % 9))))
    return b"".join(parts + [field(6, s) for s in strings])


def run(command, output):
    """Processor seconds and peak bytes of a command."""
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not os.path.exists(output):
        sys.exit("failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def drop(browser, url, text, name):
    """Milliseconds from a drop to the answer that is painted."""
    browser.open_url(url)
    browser.run(f"window.dropped = {text!r}")
    return browser.run("""(async () => {
        const data = new DataTransfer();
        data.items.add(new File([window.dropped], NAME));
        const begin = performance.now();
        document.body.dispatchEvent(new DragEvent("drop", { bubbles: true,
          cancelable: true, dataTransfer: data }));
        const result = document.getElementById("result");
        await new Promise((done) => new MutationObserver((_, observer) => {
          if (!result.hidden && document.getElementById("log")) {
            observer.disconnect();
            done();
          }
        }).observe(document.body, { attributes: true, childList: true, subtree: true }));
        return await PAINTED - begin; })()""".replace("PAINTED", PAINTED).replace("NAME", repr(name)))


def open_file(browser, path, shown):
    """Milliseconds from the beginning of a navigation to the page that is painted."""
    browser.open(path)
    browser.wait_for(shown)
    return browser.run(f"{PAINTED}.then(() => Math.max(...performance.getEntriesByType("
                       "'paint').map((p) => p.startTime)))")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--stacks", type=int, default=1000000)
    options = parser.parse_args()
    lidia = os.path.join(os.path.abspath(options.build), "bin", "llvm-lidia")
    logs = {"10,000 frames": "\n".join(FRAME.format(i) for i in range(10000)),
            "100,000 lines": FRAME.format(0) + "a line of a log\n" * 99999}
    rows = []
    with tempfile.TemporaryDirectory() as folder, Browser(1500, 900) as browser:
        os.chdir(folder)
        subprocess.run([lidia, "store", "add", "-q", "store",
                        os.path.join(INPUTS, "inline-gcc-O2-dwarf5.elf")], check=True)
        with subprocess.Popen([lidia, "serve", "--store=store", "--listen=127.0.0.1:0"],
                              stderr=subprocess.PIPE, text=True) as server:
            url = re.search(r"at (http\S+)", server.stderr.readline())[1] + "/"
            for name, text in logs.items():
                times = [drop(browser, url, text, "a.log") for _ in range(options.runs)]
                rows.append((name + ", dropped", "", "", "", statistics.median(times)))
            server.terminate()
        for name, text in logs.items():
            with open("a.log", "w", encoding="utf-8") as file:
                file.write(text)
            cpu, memory = run([lidia, "report", "-q", "--store=store", "a.log", "-o", "a.html"],
                              "a.html")
            times = [open_file(browser, "a.html", "document.getElementById('log')")
                     for _ in range(options.runs)]
            rows.append((name + ", a report", cpu, memory, os.path.getsize("a.html"),
                         statistics.median(times)))
        with open("p.pb", "wb") as file:
            file.write(profile(options.stacks))
        size = os.path.getsize("p.pb")
        cpu, memory = run([lidia, "profile", "-q", "p.pb", "-o", "p.html"], "p.html")
        times = [open_file(browser, "p.html", "document.querySelector('canvas').dataset.drawn")
                 for _ in range(options.runs)]
        rows.append((f"{options.stacks:,} stacks ({size / 1e6:.0f} MB), a flame graph", cpu,
                     memory, os.path.getsize("p.html"), statistics.median(times)))
        print("boxes:", browser.run("whole.count"), "left out:", browser.run(
            "document.getElementById('details').textContent"), file=sys.stderr)
    print("| | processor time of writing, s | memory, MB | page, MB | shown after, ms |")
    print("| --- | --- | --- | --- | --- |")
    for name, cpu, memory, size, shown in rows:
        print(f"| {name} | " + " | ".join([f"{cpu:.2f}" if cpu else "", f"{memory / 1e6:.0f}" if memory else "",
                                           f"{size / 1e6:.1f}" if size else "", f"{shown:.0f}"]) + " |")


main()
