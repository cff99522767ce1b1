#!/usr/bin/env python3
"""Measures stores of many small archives: time, memory and requests.

    measure-large-store.py [--build=BUILD] [--counts=N,...] [--delay=MILLISECONDS] FOLDER
    measure-large-store.py [--build=BUILD] --add=N FOLDER

For each N, fills FOLDER/N with archives that differ in the build ID (large_store.py),
unless it is there, and measures it as a folder and then as a bucket of S3 (s3_folder.py, on
this machine): listing, sums, looking up 1,000 random build IDs in one process and one in a
process of its own, adding a binary, and removing the 1,000 archives that were not used for
the longest time. Prints rows for docs/Performance.md. A million archives need 5 GB and two
million inodes in FOLDER. --add measures store add of N binaries instead."""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

import large_store
import s3_folder
from measured_process import run

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BINARY = os.path.join(ROOT, "test", "Inputs", "inline-gcc-O2-dwarf5.elf")
COPIES = os.path.join(ROOT, "test", "Store", "Inputs", "many-binaries.py")
OTHER = os.path.join(ROOT, "test", "Inputs", "cold-gcc-dwarf5.elf")
ADDRESS = "0x400170"
KEYS = {"AWS_ACCESS_KEY_ID": "an-id", "AWS_SECRET_ACCESS_KEY": "a-secret",
        "AWS_REGION": "us-east-1"}


class Place:
    """A store, and how to measure commands on it."""

    def __init__(self, tool, store, count, server=None):
        self.tool, self.store, self.count, self.server = tool, store, count, server
        self.environment = dict(os.environ)
        if server:
            self.environment |= KEYS | {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}"}

    def measure(self, what, arguments, lines=""):
        if self.server:
            self.server.requests.clear()
        measured = run([self.tool, *arguments], lines, self.environment)
        requests = " + ".join(f"{number:,} {kind}" for kind, number in
                              sorted(self.server.requests.items())) if self.server else "-"
        print(f"| {self.count:,} | {'S3' if self.server else 'folder'} | {what} | "
              f"{requests} | {measured.cpu:.2f} s | "
              f"{measured.wall:.1f} s | {measured.peak / 1e6:.0f} MB |", flush=True)
        return measured.output

    def measure_all(self, some):
        listed = self.measure("`store list`", ["store", "list", self.store])
        size = int(listed.rsplit("archives, ", 1)[1].split()[0])
        self.measure("`store stats`", ["store", "stats", self.store])
        found = self.measure("`symbolize`, 1,000 build IDs",
                             ["symbolize", f"--store={self.store}"], "".join(
                                 f"BUILDID:{identifier} {ADDRESS}\n" for identifier in some))
        if found.count("inline.c") < len(some):
            sys.exit("a build ID was not found")
        self.measure("`symbolize`, one", ["symbolize", f"--store={self.store}",
                                          f"--build-id={some[0]}", ADDRESS])
        self.measure("`store add`, one", ["store", "add", "-q", "--force", self.store, OTHER])
        self.measure("`store prune --dry-run`, nothing",
                     ["store", "prune", "--dry-run", "--older-than=1000d", self.store])
        average = size // self.count
        removed = self.measure("`store prune`, 1,000 of them", [
            "store", "prune", f"--max-size={size - 1000 * average}", self.store])
        print(removed.strip(), file=sys.stderr)


def existing(store, count):
    """1,000 random build IDs of archives that are there."""
    numbers = random.Random(1).sample(range(count), min(count, 5000))
    identifiers = [large_store.build_id(number) for number in numbers]
    return [identifier.hex() for identifier in identifiers if os.path.exists(
        os.path.join(store, large_store.object_name(identifier)))][:1000]


def measure_store(tool, folder, count, delay):
    store = os.path.join(folder, str(count))
    if not os.path.isdir(store):
        large_store.fill(tool, BINARY, store, range(count))
    Place(tool, store, count).measure_all(existing(store, count))
    with s3_folder.serving(store, delay) as server:
        Place(tool, "s3://bucket", count, server).measure_all(existing(store, count))


def measure_add(tool, folder, count):
    """Adds COUNT binaries to a folder and to a bucket, and again."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        binaries, store = os.path.join(work, "binaries"), os.path.join(work, "store")
        os.mkdir(binaries)
        subprocess.run([sys.executable, COPIES, BINARY, binaries, str(count)], check=True)
        place = Place(tool, store, count)
        place.measure("`store add`", ["store", "add", "-q", store, binaries])
        place.measure("`store add`, again", ["store", "add", "-q", store, binaries])
        shutil.rmtree(store)
        os.mkdir(store)
        with s3_folder.serving(store) as server:
            place = Place(tool, "s3://bucket", count, server)
            place.measure("`store add`", ["store", "add", "-q", "s3://bucket", binaries])
            place.measure("`store add`, again", ["store", "add", "-q", "s3://bucket", binaries])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--build", default="build")
    parser.add_argument("--counts", default="10000,100000,1000000", metavar="N,...")
    parser.add_argument("--delay", type=float, default=0, metavar="MILLISECONDS",
                        help="before each answer of the bucket")
    parser.add_argument("--add", type=int, metavar="N")
    options = parser.parse_args()
    tool = os.path.abspath(os.path.join(options.build, "bin", "llvm-lidia"))
    print("| archives | in | what | requests | processor time | time | peak memory |\n"
          "| ---: | --- | --- | --- | ---: | ---: | ---: |")
    if options.add:
        measure_add(tool, options.folder, options.add)
    else:
        for count in options.counts.split(","):
            measure_store(tool, options.folder, int(count), options.delay / 1000)


main()
