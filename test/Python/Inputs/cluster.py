"""lidia.ray on a local cluster of two workers: cluster.py FOLDER BINARY..."""

import os
import random
import sys

import local_ray
import pyarrow as pa
import pyarrow.parquet as parquet
import ray.data

import lidia
import lidia.ray

FOLDER, BINARIES = sys.argv[1], sys.argv[2:]
ROWS = 40000
MISSING, DAMAGED = "00" * 20, "dd" * 20


def path_in(store, build_id):
    return os.path.join(store, ".build-id", build_id[:2], build_id[2:] + ".lidia.zst")


def make_store(store):
    """A store with the archives of the binaries, one of which is truncated."""
    os.makedirs(store)
    missing = os.path.join(FOLDER, "missing")
    rows = lidia.ray.convert([*BINARIES, missing], store).take_all()
    assert sorted(row["added"] for row in rows) == [0] + [1] * len(BINARIES), rows
    assert [row["paths"] for row in rows if row["failures"]] == [[missing]], rows
    rows = lidia.ray.convert([tuple(BINARIES)], store).take_all()
    assert [row["present"] for row in rows] == [len(BINARIES)], rows
    archives = {}
    for binary in BINARIES:
        build_id = lidia.convert(binary).build_id
        archives[build_id] = lidia.Archive(path_in(store, build_id))
    with open(path_in(store, build_id), "rb") as file:
        data = file.read()
    os.makedirs(os.path.dirname(path_in(store, DAMAGED)))
    with open(path_in(store, DAMAGED), "wb") as file:
        file.write(data[:len(data) // 2])
    return archives


def write_samples(folder, archives):
    source = random.Random(1)
    entries = {build_id: [entry for function in archive.functions()
                          for entry in function.entries]
               for build_id, archive in archives.items()}
    ids = source.choices([*archives, MISSING, DAMAGED, None], k=ROWS)
    addresses = [source.choice(entries[i]) + source.randrange(16)
                 if i in entries else 0x1000 for i in ids]
    os.makedirs(folder)
    for part in range(4):
        rows = range(part * ROWS // 4, (part + 1) * ROWS // 4)
        parquet.write_table(
            pa.table({"row": pa.array(rows),
                      "build_id": pa.array([ids[r] for r in rows]).dictionary_encode(),
                      "address": pa.array([addresses[r] for r in rows], pa.uint64())}),
            os.path.join(folder, f"{part}.parquet"))
    return ids, addresses


def plain(archive, address):
    found = archive.lookup(address)
    return [{"function": f.function, "file": f.file, "line": f.line,
             "inlined": f.inlined} for f in found] or None


def check(rows, ids, addresses, archives):
    assert len(rows) == ROWS, len(rows)
    known = {}
    for row in rows:
        number = row["row"]
        key = ids[number], addresses[number]
        assert key == (row["build_id"], row["address"])
        if ids[number] not in archives:
            assert row["frames"] is None
            assert bool(row["reason"]) == (ids[number] is not None), row
            continue
        if key not in known:
            known[key] = plain(archives[key[0]], key[1])
        assert row["frames"] == known[key], (row, known[key])


def main():
    store = os.path.join(FOLDER, "store")
    archives = make_store(store)
    samples = os.path.join(FOLDER, "samples")
    ids, addresses = write_samples(samples, archives)
    small = {"max_memory": 1, "batch_size": 1000}
    # Ray 2.60 sorts in workers that it starts with a shell command line, in which a
    # space ends the interpreter's path. It then waits for them forever.
    if " " not in sys.executable:
        small["group"] = True
    for options in {"concurrency": 2}, {"concurrency": (2, 2), **small}:
        result = lidia.ray.symbolize(ray.data.read_parquet(samples), store, **options)
        out = os.path.join(FOLDER, f"out{len(options)}")
        result.write_parquet(out)
        check(parquet.read_table(out).to_pylist(), ids, addresses, archives)
    print("all rows are right")


with local_ray.cluster():
    main()
