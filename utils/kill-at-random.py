#!/usr/bin/env python3
"""Kills llvm-lidia with SIGKILL at random times while it writes.

Half of the rounds replace an existing archive, half fill an empty cache by a lookup.
After each, the file must be the old archive or the new one, byte for byte; the cache
must have the complete entry or none; and a later lookup must answer like one without a
cache. At the end, `cache prune` must remove unfinished files in the cache. Beside the
user's own output, where nothing may be removed without a request, "<name>.tmp-<12
digits>" may remain.

    utils/kill-at-random.py --llvm-lidia build/bin/llvm-lidia BINARY
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import tempfile
import time


class Rounds:
    """The rounds, in a separate folder."""

    def __init__(self, arguments, folder):
        self.tool = arguments.llvm_lidia
        self.binary = arguments.binary
        self.address = arguments.address
        self.folder = folder
        self.target = os.path.join(folder, "out", "x.lidia")
        self.cache = os.path.join(folder, "cache")
        self.random = random.Random(arguments.seed)
        self.killed = 0
        self.old_files = self.new_files = 0
        self.entries = 0
        self.left_beside = self.left_in_cache = 0
        os.mkdir(os.path.dirname(self.target))
        self.create = [self.tool, "--crc", "--lines", "-q", self.binary, "-o"]
        self.lookup = [self.tool, "lookup", "-p", "-q", self.binary, self.address]
        old = os.path.join(folder, "old")
        subprocess.run([self.tool, "--symbols-only", "--crc", "-q", self.binary, "-o", old], check=True)
        self.old = read(old)
        new = os.path.join(folder, "new")
        self.creation = timed(lambda: self.run(self.create + [new]))
        self.new = read(new)
        assert self.old != self.new
        self.answer = self.run(self.lookup + ["--no-cache"])
        self.filling = timed(self.fill_anew)
        (entry,) = self.entries_in_cache()
        self.entry = read(os.path.join(self.cache, entry))

    def run(self, command):
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout

    def fill(self):
        return self.run(self.lookup + ["--cache-dir=" + self.cache])

    def fill_anew(self):
        shutil.rmtree(self.cache, ignore_errors=True)
        return self.fill()

    def entries_in_cache(self, extension=".lidia"):
        return [name for name in os.listdir(self.cache) if name.endswith(extension)]

    def kill(self, command, duration, folder):
        """Starts the command and kills it within its usual duration or, in half of the
        rounds, soon after there is an unfinished file in the folder."""
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        if self.random.random() < 0.5:
            while process.poll() is None and not has_unfinished(folder):
                pass
            duration /= 20
        time.sleep(self.random.uniform(0, 1.1 * duration))
        process.kill()
        self.killed += process.wait() < 0

    def kill_creation(self):
        with open(self.target, "wb") as file:
            file.write(self.old)
        self.kill(self.create + [self.target], self.creation,
                  os.path.dirname(self.target))
        found = read(self.target)
        assert found in (self.old, self.new), "half a file, or a lost one"
        self.old_files += found == self.old
        self.new_files += found == self.new
        for name in os.listdir(os.path.dirname(self.target)):
            if name != "x.lidia":
                assert re.fullmatch(r"x\.lidia\.tmp-[0-9a-f]{12}", name), name
                self.left_beside += 1
                os.remove(os.path.join(os.path.dirname(self.target), name))

    def kill_filling(self):
        if os.path.isdir(self.cache):
            for name in self.entries_in_cache():
                os.remove(os.path.join(self.cache, name))
        self.kill(self.lookup + ["--cache-dir=" + self.cache], self.filling,
                  self.cache)
        if os.path.isdir(self.cache):
            for name in self.entries_in_cache():
                self.entries += 1
                found = read(os.path.join(self.cache, name))
                assert found == self.entry, "half an entry"
        assert self.fill() == self.answer, "a wrong answer"

    def check_pruning(self):
        left = self.entries_in_cache(".tmp")
        self.left_in_cache = len(left)
        for name in left:
            long_ago = time.time() - 3700
            os.utime(os.path.join(self.cache, name), (time.time(), long_ago))
        self.run([self.tool, "cache", "--cache-dir=" + self.cache, "prune"])
        assert not self.entries_in_cache(".tmp"), "unfinished entries stay"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def has_unfinished(folder):
    try:
        return any(".tmp" in name for name in os.listdir(folder))
    except FileNotFoundError:
        return False


def timed(action):
    """The time of the action when its files are in memory."""
    action()
    start = time.monotonic()
    action()
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", metavar="BINARY", help="an ELF file")
    parser.add_argument("--llvm-lidia", default="llvm-lidia", metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--address", default="0x1000", help="to look up")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="lidia-kill-")
    try:
        rounds = Rounds(arguments, folder)
        for number in range(arguments.rounds):
            rounds.kill_filling() if number % 2 else rounds.kill_creation()
        rounds.check_pruning()
    finally:
        shutil.rmtree(folder)
    print(f"{arguments.rounds} rounds, {rounds.killed} killed before their end: "
          f"{rounds.old_files} old and {rounds.new_files} new files, "
          f"{rounds.entries} whole entries; left unfinished: {rounds.left_beside} "
          f"beside the file, {rounds.left_in_cache} in the cache")


if __name__ == "__main__":
    main()
