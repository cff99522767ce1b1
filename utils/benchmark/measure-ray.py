#!/usr/bin/env python3
"""Measures lidia.ray on a cluster of this machine and a versitygw bucket.

    test/Store/Inputs/with-versitygw.py --limit=3000 FOLDER -- lidia-python \\
        utils/benchmark/measure-ray.py FOLDER INPUT... [--rows N] [--distinct N]

FOLDER has the empty folder "bucket". The inputs, binaries and packages (a package and
its debug package are matched by name), are converted into the bucket. Rows of Parquet
on the disk, of which --distinct differ, are symbolized by one worker and by two in
turn. The frequency of a build ID is the inverse of its rank, as in profiles, and rows
are in random order.

CPU is that of the workers, without their start, in user and kernel mode. Memory is the
private memory of a worker (RssAnon). Requests and bytes are those between the workers
and the bucket.
"""

import argparse
import contextlib
import os
import random
import shutil
import socket
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TICK = os.sysconf("SC_CLK_TCK")


class Proxy:
    """Forwards connections to the server, and counts requests and bytes."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.server = parts.hostname, parts.port
        self.lock = threading.Lock()
        self.sent = self.received = self.requests = 0
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        threading.Thread(target=self.listen, args=[listener], daemon=True).start()

    def listen(self, listener):
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(self.server)
            for source, to, count in ((client, server, self.count_up),
                                      (server, client, self.count_down)):
                threading.Thread(target=self.copy, args=[source, to, count],
                                 daemon=True).start()

    def count_up(self, data):
        self.sent += len(data)

    def count_down(self, data):
        self.received += len(data)
        # An answer's first line is in its own packet, or begins one.
        self.requests += data.startswith(b"HTTP/1.1 ")

    def copy(self, source, to, count):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 20):
                with self.lock:
                    count(data)
                to.sendall(data)
        with contextlib.suppress(OSError):
            to.shutdown(socket.SHUT_WR)

    def take(self):
        with self.lock:
            counts = self.requests, self.received, self.sent
            self.requests = self.received = self.sent = 0
            return counts


def cpu_of(pid):
    """User and system time in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_of(pid):
    """Private memory in bytes."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


class Watcher(threading.Thread):
    """Monitors the workers until it is stopped."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        self.first, self.last, self.memory = {}, {}, {}
        # Workers of the previous dataset may not have ended.
        self.others = set(local_ray.actors("_Worker"))

    def run(self):
        while not self.stopped.wait(0.2):
            for pid in set(local_ray.actors("_Worker")) - self.others:
                with contextlib.suppress(OSError):
                    own = cpu_of(pid)
                    self.first.setdefault(pid, own)
                    self.last[pid] = own
                    self.memory[pid] = max(self.memory.get(pid, 0), memory_of(pid))

    def stop(self):
        self.stopped.set()
        self.join()
        cpu = sum(self.last[pid] - self.first[pid] for pid in self.last)
        return len(self.last), cpu, max(self.memory.values())


def packages_together(paths):
    groups = {}
    for path in paths:
        name = os.path.basename(path)
        if name.endswith(".deb"):
            name = name.partition("_")[0].removesuffix("-dbgsym").removesuffix("-dbg")
        groups.setdefault(name, []).append(path)
    return [tuple(group) for group in groups.values()]


def measure_conversion(inputs, proxy, folder):
    groups = packages_together(inputs)
    proxy.take()
    start = time.perf_counter()
    rows = lidia.ray.convert(groups, "s3://bucket/symbols").take_all()
    wall = time.perf_counter() - start
    requests, received, sent = proxy.take()
    failures = [failure for row in rows for failure in row["failures"]]
    added = sum(row["added"] for row in rows)
    size = sum(os.path.getsize(os.path.join(where, name))
               for where, _, names in os.walk(os.path.join(folder, "bucket", "symbols"))
               for name in names)
    of_inputs = sum(os.path.getsize(path) for group in groups for path in group)
    print(f"conversion: {len(inputs)} inputs of {of_inputs / 1e6:.1f} MB, {added} archives "
          f"of {size / 1e6:.1f} MB, {len(failures)} failures, {wall:.1f} s, "
          f"{requests} requests, {sent / 1e6:.1f} MB sent",
          flush=True)


def write_samples(folder, archives, rows, distinct):
    source = random.Random(1)
    numbers = numpy.random.default_rng(1)
    ids = sorted(archives)
    source.shuffle(ids)
    weights = 1 / numpy.arange(1, len(ids) + 1)
    keys = numbers.choice(len(ids), distinct, p=weights / weights.sum())
    addresses = numpy.zeros(distinct, numpy.uint64)
    for key, build_id in enumerate(ids):
        entries = [e for f in archives[build_id].functions() for e in f.entries] or [0]
        mine = numpy.nonzero(keys == key)[0]
        addresses[mine] = (numbers.choice(numpy.array(entries, numpy.uint64), len(mine))
                           + numbers.integers(0, 64, len(mine), dtype=numpy.uint64))
    os.makedirs(folder)
    size = 250_000
    for first in range(0, rows, size):
        chosen = numbers.integers(0, distinct, min(size, rows - first))
        parquet.write_table(pa.table({
            "build_id": pa.DictionaryArray.from_arrays(
                pa.array(keys[chosen], pa.int32()), ids),
            "address": addresses[chosen]}), os.path.join(folder, f"{first:09}.parquet"))


def measure(name, folder, rows, proxy, workers, **options):
    """The processor time of the workers in seconds."""
    result = os.path.join(folder, "symbolized")
    shutil.rmtree(result, ignore_errors=True)
    proxy.take()
    watcher = Watcher()
    watcher.start()
    start = time.perf_counter()
    lidia.ray.symbolize(
        ray.data.read_parquet(os.path.join(folder, "samples")), "s3://bucket/symbols",
        concurrency=(workers, workers), **options).write_parquet(result)
    wall = time.perf_counter() - start
    seen, mine, memory = watcher.stop()
    requests, received, _ = proxy.take()
    millions = rows / 1e6
    print(f"{name:24} {seen} workers: {mine / millions:6.2f} s CPU a "
          f"million rows, {rows / mine / 1000:6.0f} thousand rows a second "
          f"and core, {wall:5.1f} s, {memory / 1e6:6.0f} MB a worker, "
          f"{requests / millions:7.1f} requests and {received / millions / 1e6:7.2f} MB a "
          f"million rows", flush=True)
    return mine


def main(args):
    proxy = Proxy(os.environ["AWS_ENDPOINT_URL"])
    os.environ["AWS_ENDPOINT_URL_S3"] = proxy.url
    with local_ray.cluster(4), tempfile.TemporaryDirectory() as folder:
        measure_conversion(args.inputs, proxy, args.folder)
        archives = {}
        for where, _, names in os.walk(os.path.join(args.folder, "bucket", "symbols")):
            for name in names:
                archive = lidia.Archive(os.path.join(where, name))
                archives[archive.build_id] = archive
        write_samples(os.path.join(folder, "samples"), archives, args.rows, args.distinct)
        del archives
        ratios = []
        for _ in range(args.runs):
            one, two = (measure("", folder, args.rows, proxy, workers)
                        for workers in (1, 2))
            ratios.append(two / one)
        print(f"CPU of two workers, of one: {statistics.median(ratios):.3f} "
              f"({min(ratios):.3f} to {max(ratios):.3f})")
        measure("group=True", folder, args.rows, proxy, 2, group=True)
        for most in args.max_memory:
            measure(f"max_memory={most}M", folder, args.rows, proxy, 1,
                    max_memory=most << 20)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder")
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--distinct", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--max-memory", type=int, nargs="*", default=[32, 1024])
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse()
    # Imported here, because --help does not need it.
    sys.path.append(os.path.join(ROOT, "test", "Python", "Inputs"))
    import local_ray
    import numpy
    import pyarrow as pa
    import pyarrow.parquet as parquet
    import ray.data

    import lidia
    import lidia.ray
    main(arguments)
