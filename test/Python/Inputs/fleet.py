"""lidia.ray on a local cluster of two workers and an S3 server:

    with-versitygw.py --uploads DATA -- lidia-python fleet.py DATA [options] [INPUT...]

DATA has the folder of the bucket "bucket", which is empty. Inputs (binaries, packages)
are converted into the bucket. Samples are written there as Parquet, and symbolized into
the bucket while a worker is killed. Each row is compared with a plain loop. Some
archives are damaged before, which may affect only their rows. The default size suits a
build machine; at full size, with --limit=3000:

    apt-get download PACKAGE... && fleet.py DATA --packages . --rows 5000000 --batch-size 65536
"""

import argparse
import collections
import glob
import os
import re
import shutil
import signal
import threading
import time

import local_ray
import numpy
import pyarrow as pa
import pyarrow.parquet as parquet
import ray.data

import lidia
import lidia.ray

STORE, SAMPLES, RESULT = (f"s3://bucket/{name}" for name in
                          ("symbols", "samples", "symbolized"))
NOWHERE = "ab" * 20
UNKNOWN = "no information about the address"


def log(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def system_libraries(count, most_bytes):
    """The largest libraries of this machine with at most MOST_BYTES bytes."""
    found = {os.path.realpath(p) for p in glob.glob("/usr/lib/*-linux-gnu/*.so*")
             if os.path.isfile(p)}
    small = [p for p in found if os.path.getsize(p) <= most_bytes]
    return sorted(small, key=lambda p: (-os.path.getsize(p), p))[:count]


def packages(folder):
    """The Debian packages in the folder, each with its debug package."""
    groups = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(folder, "*.deb"))):
        name = os.path.basename(path).partition("_")[0]
        groups[re.sub("-dbg(sym)?$", "", name)].append(path)
    return [tuple(paths) for paths in groups.values()]


def path_in(data, build_id):
    return os.path.join(data, "bucket", "symbols", ".build-id", build_id[:2],
                        build_id[2:] + ".lidia.zst")


def convert(inputs, data):
    """The archives in the bucket by build ID, read as files."""
    rows = lidia.ray.convert(inputs, STORE).take_all()
    for row in rows:
        for failure in row["failures"]:
            log(f"not converted: {failure}")
    found = glob.glob(path_in(data, "??*"))
    archives = {lidia.Archive(path).build_id: path for path in found}
    assert len(archives) == sum(row["added"] for row in rows) > 5, rows
    rows = lidia.ray.convert(inputs, STORE).take_all()
    assert not any(row["added"] for row in rows), rows
    # The copies are not affected by the damage below.
    copies = {}
    for build_id, path in archives.items():
        copies[build_id] = os.path.join(data, "..", "copies", build_id)
        os.makedirs(os.path.dirname(copies[build_id]), exist_ok=True)
        shutil.copyfile(path, copies[build_id])
    return {build_id: lidia.Archive(path) for build_id, path in copies.items()}


def spoil(data, archives):
    """Damages archives. Returns the expected reason for the rows of each build ID."""
    by_size = sorted(archives, key=lambda i: os.path.getsize(path_in(data, i)))
    partly, missing, cut, replaced, other = (path_in(data, i) for i in by_size[:-6:-1])
    os.remove(missing)
    os.truncate(cut, os.path.getsize(cut) // 2)
    shutil.copyfile(other, replaced)
    with open(partly, "r+b") as file:
        file.seek(os.path.getsize(partly) // 2)
        file.write(bytes(1000))
    texts = "", "no archive of this build ID", "", "has the build ID", None
    reasons = {i: re.compile(t) for i, t in zip(by_size[::-1], texts) if t is not None}
    reasons[NOWHERE] = re.compile("no archive of this build ID")
    return by_size[-1], reasons


class Samples:
    """Addresses in functions, and some outside of all. Few build IDs are frequent."""

    def __init__(self, rows, archives):
        source = numpy.random.default_rng(1)
        self.ids = [*sorted(archives), NOWHERE, None]
        weights = 1 / numpy.arange(5, len(self.ids) + 5)
        self.id = source.choice(len(self.ids), rows, p=weights / weights.sum())
        self.is_null = self.id == len(self.ids) - 1
        self.address = source.integers(0, 2 ** 63, rows, dtype=numpy.uint64)
        for number, build_id in enumerate(self.ids[:-2]):
            entries = numpy.array([e for f in archives[build_id].functions()
                                   for e in f.entries], numpy.uint64)
            mine = numpy.nonzero(self.id == number)[0]
            mine = mine[source.random(len(mine)) < 0.99]
            self.address[mine] = (source.choice(entries, len(mine))
                                  + source.integers(0, 64, len(mine), dtype=numpy.uint64))

    def write(self, files):
        size = -(-len(self.id) // files)
        for first in range(0, len(self.id), size):
            rows = slice(first, min(first + size, len(self.id)))
            parquet.write_table(pa.table({
                "row": pa.array(range(rows.start, rows.stop), pa.int64()),
                "build_id": pa.DictionaryArray.from_arrays(
                    pa.array(self.id[rows], pa.int32(), mask=self.is_null[rows]),
                    self.ids[:-1]),
                "address": self.address[rows],
            }), f"{SAMPLES}/{first:09}.parquet")


class Killer(threading.Thread):
    """Kills a worker while it works."""

    def __init__(self):
        super().__init__(daemon=True)
        self.is_over = threading.Event()
        self.killed = None

    def run(self):
        while not self.is_over.wait(0.01):
            for pid in local_ray.actors(".submit"):
                # The worker cannot finish before it is killed.
                os.kill(pid, signal.SIGSTOP)
                if pid in local_ray.actors(".submit"):
                    os.kill(pid, signal.SIGKILL)
                    self.killed = pid
                    return
                os.kill(pid, signal.SIGCONT)


def check(samples, archives, partly, reasons):
    """Compares each row of the result with a plain loop."""
    seen = numpy.zeros(len(samples.id), bool)
    counts = collections.Counter()
    dataset = pa.dataset.dataset(RESULT)
    for batch in dataset.to_batches(batch_size=50000):
        numbers = batch.column("row").to_numpy()
        assert not seen[numbers].any() and len(set(numbers)) == len(numbers)
        seen[numbers] = True
        for row in batch.to_pylist():
            counts[check_row(row, samples, archives, partly, reasons)] += 1
    assert seen.all(), numpy.nonzero(~seen)
    return counts


def check_row(row, samples, archives, partly, reasons):
    number = row["row"]
    build_id = samples.ids[samples.id[number]]
    assert row["build_id"] == build_id and row["address"] == samples.address[number], row
    if build_id is None:
        assert row["frames"] is None and row["reason"] is None, row
        return "null"
    if row["reason"] not in (None, UNKNOWN) or build_id in reasons and build_id != partly:
        assert row["frames"] is None and reasons[build_id].search(row["reason"]), row
        return row["reason"]
    expected = [{"function": f.function, "file": f.file, "line": f.line,
                 "inlined": f.inlined} for f in archives[build_id].lookup(row["address"])]
    assert row["frames"] == (expected or None), (row, expected)
    assert row["reason"] == (None if expected else UNKNOWN), row
    return row["reason"] or "found"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("inputs", nargs="*")
    parser.add_argument("--packages", metavar="FOLDER")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=5000)
    args = parser.parse_args()
    # Two workers, and two tasks that read and write.
    with local_ray.cluster(4):
        more = (packages(args.packages) if args.packages
                else system_libraries(20, 300_000))
        archives = convert(args.inputs + more, args.data)
        log(f"{len(archives)} archives")
        samples = Samples(args.rows, archives)
        samples.write(args.files)
        partly, reasons = spoil(args.data, archives)
        log("samples written")
        killer = Killer()
        killer.start()
        lidia.ray.symbolize(
            ray.data.read_parquet(SAMPLES), STORE, concurrency=(2, 2),
            batch_size=args.batch_size).write_parquet(RESULT)
        killer.is_over.set()
        killer.join()
        assert killer.killed, "no worker was killed"
        log(f"symbolized, and killed {killer.killed}")
    for what, rows in check(samples, archives, partly, reasons).most_common():
        print(f"{rows:9,} {what}")
    print("all rows are right")


main()
