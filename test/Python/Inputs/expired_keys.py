"""lidia.ray with keys that expire while it works: expired_keys.py BINARY BINARY

The store in the bucket has the archives of both."""

import sys

import local_ray
import pyarrow as pa
import ray.data

import lidia
import lidia.ray

ROWS = 2000


def main(binaries):
    archives = [lidia.convert(binary) for binary in binaries]
    each = [(a.build_id, a.functions()[0].entries[0]) for a in archives for _ in range(ROWS)]
    rows = pa.table({"build_id": [row[0] for row in each],
                     "address": pa.array([row[1] for row in each], pa.uint64())})
    found = lidia.ray.symbolize(ray.data.from_arrow(rows), "s3://bucket/symbols",
                                on_store_error="null", batch_size=ROWS).take_all()
    assert [(row["build_id"], row["address"]) for row in found] == each
    first, second = found[:ROWS], found[ROWS:]
    assert {row["frames"][0]["function"] for row in first} == {
        archives[0].lookup(each[0][1])[0].function}
    assert {row["reason"] for row in first} == {None}
    assert {row["frames"] for row in second} == {None}
    print(*{row["reason"] for row in second}, sep="\n")


with local_ray.cluster():
    main(sys.argv[1:])
