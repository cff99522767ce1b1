"""python -m lidia.ray on a cluster of this machine: ray_command.py BINARY BLOCKS

BLOCKS are those of docs/Fleet.md, which run first."""

import os
import subprocess
import sys

import local_ray
import pyarrow as pa
import pyarrow.parquet as parquet
import ray

import lidia

STORE = "--store=s3://bucket/symbols"


def run(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "lidia.ray", *arguments], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, **environment})
    print(*arguments, *environment.items())
    print(done.stdout)
    print(f"exit status {done.returncode}", flush=True)
    # Ray's own traceback must not be printed.
    assert done.stdout.count("\n") < 12, done.stdout


def main():
    os.environ["RAY_ADDRESS"] = ray.get_runtime_context().gcs_address
    lidia.add_to_store("s3://bucket/symbols", sys.argv[1:2])
    build_id = lidia.convert(sys.argv[1]).build_id
    rows = [[build_id.upper(), 0x400170], [build_id, 0x400170], [build_id, None],
            [None, 0x400170], ["ab" * 20, 0x400170], ["zz", 1], [build_id, -1]]
    ids, addresses = zip(*rows)
    parquet.write_table(pa.table({
        "build_id": ids, "address": pa.array(addresses, pa.int64()),
        "text": [hex(a or 0) for a in addresses],
    }), "samples.parquet")
    samples = parquet.read_table("samples.parquet")
    parquet.write_table(samples, "s3://bucket/samples/1.parquet")
    with open(sys.argv[2]) as file:
        exec(file.read(), {})
    print(parquet.read_table("s3://bucket/symbolized").num_rows, "rows by the blocks")
    run(STORE, "s3://bucket/samples", "s3://bucket/again")
    run(STORE, "samples.parquet", "symbolized")
    for row in parquet.read_table("symbolized").to_pylist():
        print(row["build_id"], row["address"], [f["function"] for f in row["frames"] or []],
              row["reason"])
    parquet.write_table(samples.slice(0, 0), "none.parquet")
    run(STORE, "none.parquet", "empty")
    # Errors that affect all rows are printed in one line.
    run(STORE, "samples.parquet", "symbolized")
    run("--store=nowhere", "samples.parquet", "result")
    run("--store=s3://bucket/typo", "samples.parquet", "result")
    run(STORE, "samples.parquet", "result", AWS_SECRET_ACCESS_KEY="")
    run(STORE, "samples.parquet", "result", AWS_SECRET_ACCESS_KEY="another")
    run(STORE, "nowhere.parquet", "result")
    run(STORE, "samples.parquet", "result", "--address=addresses")
    run(STORE, "samples.parquet", "result", "--address=text")
    run(STORE, "samples.parquet", "result", "--build-id=address")


with local_ray.cluster():
    main()
