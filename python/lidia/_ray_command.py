"""python -m lidia.ray: symbolizes Parquet on a cluster of Ray."""

from __future__ import annotations

import argparse
import collections
import logging
import sys

import pyarrow.dataset  # type: ignore[import-untyped]
import pyarrow.fs  # type: ignore[import-untyped]
import ray
import ray.data

from ._errors import Error
from ._lidia import Symbolizer
from .ray import check_store, symbolize, symbolize_batch


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m lidia.ray",
        description="Symbolizes Parquet files by Ray, on this machine or on the cluster "
        "that RAY_ADDRESS names. Adds the columns frames, reason and miss.")
    parser.add_argument("samples", help="a Parquet file, a folder of them, or s3://...")
    parser.add_argument("output", help="the folder for the result, or s3://...")
    parser.add_argument("--store", required=True, metavar="STORE",
                        help="the archives: a folder, or s3://bucket/prefix")
    parser.add_argument("--build-id", default="build_id", metavar="COLUMN")
    parser.add_argument("--address", default="address", metavar="COLUMN")
    parser.add_argument("--return-addresses", action="store_true",
                        help="the addresses are return addresses, as on a stack")
    parser.add_argument("--group", action="store_true",
                        help="sort the rows by build ID first, for very many build IDs")
    parser.add_argument("--on-store-error", choices=("raise", "null"), default="raise",
                        help="if the store does not answer for half a minute: end with "
                        "an error (raise), or leave rows null (null)")
    parser.add_argument("--max-memory", type=int, default=1024, metavar="MIB",
                        help="how much of archives a worker keeps in memory (1024)")
    parser.add_argument("--workers", type=int, metavar="N",
                        help="at most so many (all processors but one)")
    return parser.parse_args(arguments)


def _is_empty(place: str) -> bool:
    system, path = pyarrow.fs.FileSystem.from_uri(place) if "://" in place else (
        pyarrow.fs.LocalFileSystem(), place)
    return not system.get_file_info(
        pyarrow.fs.FileSelector(path, allow_not_found=True))


def _reasons(output: str) -> collections.Counter[str | None]:
    """The number of rows with each reason."""
    counts: collections.Counter[str | None] = collections.Counter()
    for batch in pyarrow.dataset.dataset(output).to_batches(columns=["reason"]):
        for count in batch.column(0).value_counts().to_pylist():
            counts[count["values"]] += count["counts"]
    return counts


def _run(args: argparse.Namespace) -> None:
    if not _is_empty(args.output):
        raise FileExistsError(f"{args.output} is not empty: name another output")
    check_store(args.store)
    # Check the columns here, because Ray hides the errors of workers in its own.
    schema = pyarrow.dataset.dataset(args.samples, format="parquet").schema
    symbolize_batch(Symbolizer(args.store), schema.empty_table(),
                    build_id=args.build_id, address=args.address)
    # Show Ray's progress only on a terminal, and not its messages.
    ray.data.DataContext.get_current().enable_progress_bars = sys.stderr.isatty()
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    if not ray.is_initialized():
        try:
            ray.init(log_to_driver=False, logging_level=logging.CRITICAL)
        except Exception as error:  # Ray has no class for it.
            raise OSError(f"Ray does not start: {error}") from None
    processors = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
    workers = args.workers or max(1, int(processors) - 1)
    symbolize(
        ray.data.read_parquet(args.samples), args.store, build_id=args.build_id,
        address=args.address, are_returns=args.return_addresses, group=args.group,
        on_store_error=args.on_store_error, max_memory=args.max_memory << 20,
        concurrency=(1, workers),
    ).write_parquet(args.output)
    if _is_empty(args.output):
        print(f"{args.samples} has no rows")
        return
    for reason, rows in _reasons(args.output).most_common(10):
        print(f"{rows:,} rows: {reason or 'symbolized, or null'}")


def _cause(error: BaseException) -> str:
    """The text of the original error that Ray's errors wrap."""
    while inner := getattr(error, "cause", None) or error.__cause__:
        error = inner
    if isinstance(error, FileNotFoundError) and not error.strerror:
        return f"{error}: no such file"  # like Ray's own text
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def main(arguments: list[str] | None = None) -> None:
    args = _parse(arguments)
    try:
        _run(args)
    except (ray.exceptions.RayError, Error, OSError, ValueError, TypeError) as error:
        sys.exit(f"error: {_cause(error)}")
