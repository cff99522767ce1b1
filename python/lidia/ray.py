"""Symbolizes on many machines with Ray Data.

Ray distributes the work, and each of its workers has a Symbolizer. The Arrow function
that the workers run (symbolize_batch) also works with other systems that process
batches of Arrow data, such as Spark's mapInArrow.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from ._errors import Error
from ._functions import add_to_store
from ._lidia import Symbolizer
from ._records import Added

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]
    import ray.data


def _check_columns(batch: pyarrow.Table, *names: str) -> None:
    for name in names:
        if name not in batch.column_names:
            raise ValueError(f"the rows have no column '{name}', but "
                             f"{', '.join(batch.column_names)}: name the columns of "
                             "build IDs and addresses")


def symbolize_batch(
    symbolizer: Symbolizer,
    batch: pyarrow.Table,
    *,
    build_id: str = "build_id",
    address: str = "address",
    frames: str = "frames",
    reason: str = "reason",
    miss: str = "miss",
    are_returns: bool = False,
) -> pyarrow.Table:
    """The table with three more columns: the frames, the reason why a row has none, and
    the reason's code, which rows without lines have, too."""
    import pyarrow

    _check_columns(batch, build_id, address)
    columns = symbolizer.symbolize(
        batch.column(build_id), batch.column(address),
        are_returns=are_returns, with_reasons=True, with_misses=True)
    for name, column in zip((frames, reason, miss), columns, strict=True):
        batch = batch.append_column(name, pyarrow.chunked_array(column))
    return batch


def _without_dictionary(batch: pyarrow.Table, column: str) -> pyarrow.Table:
    """The table with the column as plain values, because pyarrow cannot compare
    dictionaries."""
    import pyarrow

    _check_columns(batch, column)
    index = batch.column_names.index(column)
    kind = batch.schema.field(index).type
    if not pyarrow.types.is_dictionary(kind):
        return batch
    return batch.set_column(index, column, batch.column(index).cast(kind.value_type))


def check_store(store: Any) -> None:
    """Raises errors that would affect all rows, before the job starts: the store does
    not exist, has no archive, or rejects the keys."""
    if isinstance(store, (str, os.PathLike)):
        Symbolizer(store)


def _take_all_processors(workers: int) -> bool:
    """Whether no task could run beside the workers. This is known only for a single
    machine, because a cluster of several machines may be growing."""
    import ray

    if not ray.is_initialized() or len(ray.nodes()) != 1:  # type: ignore[no-untyped-call]
        return False
    processors: float = ray.cluster_resources().get("CPU", 0)  # type: ignore[no-untyped-call]
    return 0 < processors <= workers


class _Worker:
    """An actor, which keeps archives open."""

    def __init__(self, store: Any, max_memory: int,
                 on_store_error: Literal["raise", "null"], options: dict[str, Any]) -> None:
        self.symbolizer = Symbolizer(store, max_memory=max_memory,
                                     on_store_error=on_store_error)
        self.options = options

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        return symbolize_batch(self.symbolizer, batch, **self.options)


def _add(row: dict[str, Any], store: str, force: bool) -> dict[str, Any]:
    """The task for one group of paths."""
    warnings: list[str] = []
    try:
        result = add_to_store(store, row["paths"], force=force, threads=1,
                              warnings=warnings)
    except (Error, OSError) as error:
        result = Added(0, 0, 0, [str(error)])
    return {"paths": row["paths"], **result._asdict(), "warnings": warnings}


def convert(
    paths: Iterable[str | os.PathLike[str] | Iterable[str | os.PathLike[str]]],
    store: str,
    *,
    force: bool = False,
    **ray_options: Any,
) -> ray.data.Dataset:
    """Adds the archives of binaries, packages and folders to a store, in parallel.

    Each path is a separate task, and must exist on all machines. Paths that belong
    together, such as a binary and its debug file, or a package and its debug package,
    are given as one tuple. The dataset has a row for each task, with the fields of
    lidia.Added; it is computed when it is read. An interrupted task can be repeated,
    because archives are added to the store atomically. Options are those of map.
    """
    import ray.data

    groups = []
    for item in paths:
        together = [item] if isinstance(item, (str, os.PathLike)) else item
        groups.append({"paths": [os.fspath(path) for path in together]})
    add = functools.partial(_add, store=os.fspath(store), force=force)
    return ray.data.from_items(groups, override_num_blocks=len(groups) or 1).map(
        add, **ray_options)


def symbolize(
    dataset: ray.data.Dataset,
    store: Any,
    *,
    build_id: str = "build_id",
    address: str = "address",
    frames: str = "frames",
    reason: str = "reason",
    miss: str = "miss",
    are_returns: bool = False,
    on_store_error: Literal["raise", "null"] = "raise",
    group: bool = False,
    max_memory: int = 1 << 30,
    batch_size: int | None = 65536,
    concurrency: int | tuple[int, int] | None = None,
    **ray_options: Any,
) -> ray.data.Dataset:
    """The dataset with the frames of each row, the reason why a row has none, and its code.

    store is the source of lidia.Symbolizer: a folder that exists on all machines, or a
    bucket. A worker keeps archives open, with at most max_memory bytes in memory, and
    looks up rows by archive within a batch. With group, Ray first sorts the rows by
    build ID, so that each worker sees few build IDs: use it if there are many more
    archives than fit into max_memory. An archive that is missing or damaged affects only
    its rows. A store that cannot be read raises an error here. If it stops answering
    later, workers ask it again for half a minute (LIDIA_STORE_TIMEOUT); then the task
    fails or, with on_store_error="null", rows are null with the code no_answer. concurrency
    and other options are those of map_batches. Each worker takes one processor of the
    cluster, and reading and writing need others. On a single machine that has no
    others, they share processors.
    """
    import ray.data

    check_store(store)
    if group:
        dataset = dataset.map_batches(
            functools.partial(_without_dictionary, column=build_id),
            batch_format="pyarrow", batch_size=None).sort(build_id)
    elif batch_size:
        # Ray puts small files into one block, and a block is the task of one worker.
        dataset = dataset.repartition(target_num_rows_per_block=4 * batch_size)
    options = {"build_id": build_id, "address": address, "frames": frames,
               "reason": reason, "miss": miss, "are_returns": are_returns}
    if not isinstance(concurrency, tuple):
        concurrency = (1, concurrency) if concurrency else (1, 1)
    # Otherwise Ray would wait for a processor forever.
    if _take_all_processors(concurrency[0]):
        ray_options.setdefault("num_cpus", 0)
    return dataset.map_batches(
        _Worker,
        fn_constructor_args=(store, max_memory, on_store_error, options),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ray.data.ActorPoolStrategy(min_size=concurrency[0],
                                           max_size=concurrency[1]),
        **ray_options,
    )


if __name__ == "__main__":
    from lidia._ray_command import main

    main()
