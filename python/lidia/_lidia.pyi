"""The part of lidia that is in C++."""

from collections.abc import Callable, Iterable, Mapping
import os
from typing import Any, BinaryIO

import lidia._records


def version() -> str: ...

class ChunkedArray:
    """
    Rows in several Arrow arrays. pyarrow.chunked_array(), polars.Series()
    and others take it without copying.
    """

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __arrow_c_schema__(self) -> object: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Array:
    """
    Rows in one Arrow array. pyarrow.array(), polars.Series() and others
    take it without copying.
    """

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __arrow_c_schema__(self) -> object: ...

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Archive:
    """
    An archive, opened for lookups: a path, a URL (https, http, s3), bytes,
    or a binary file object with seek() and read(). A file is mapped: it
    must not be truncated while the archive is open, or be opened with
    copy=True. Threads can share an archive.
    """

    def __init__(self, source: str | bytes | os.PathLike[str] | BinaryIO, *, demangle: bool = True, copy: bool = False) -> None: ...

    def lookup(self, address: int, *, is_return: bool = False) -> lidia._records.Frames:
        """
        The functions at an address of the binary, innermost first; empty
        if nothing is known of it. With is_return the address is a return
        address, and the answer that of the call before it.
        """

    def lookup_batch(self, addresses: Iterable[int], *, are_returns: bool = False) -> list[lidia._records.Frames]:
        """lookup() of each address, in their order."""

    def symbolize(self, addresses: object, *, are_returns: bool = False, with_reasons: bool = False) -> Any:
        """
        The frames of each row of an Arrow array of uint64 or int64, as an
        Arrow array of the type list<struct<function, file, line,
        inlined>>: a lidia.Array, or of a chunked array a
        lidia.ChunkedArray. Null if nothing is known of the address. With
        with_reasons a pair: the frames, and why a row has none.
        """

    def functions(self) -> list[lidia._records.Function]:
        """All functions that have names, in the order of their addresses."""

    def files(self) -> list[str]:
        """All source files."""

    def verify(self) -> None:
        """
        Reads all of the archive; raises lidia.Damaged if it contradicts
        its checksums or itself.
        """

    def close(self) -> None:
        """Closes the archive; other calls then raise ValueError."""

    @property
    def closed(self) -> bool: ...

    @property
    def build_id(self) -> str | None:
        """The binary's build ID in hexadecimal digits, if it has one."""

    @property
    def name(self) -> str:
        """The path, the URL, or the name of the file object."""

    def __enter__(self) -> Archive: ...

    def __exit__(self, *args: object) -> None: ...

    def __repr__(self) -> str: ...

class Symbolizer:
    """
    The archives of a store (a folder or s3://bucket/prefix), of a mapping
    from build IDs to archives or their places, or of some archives. Each
    is opened when it is first asked for. Of those that were used last,
    max_archives stay open, and no more than may have max_memory bytes in
    memory, names apart. Threads can share a symbolizer.
    """

    def __init__(self, source: str | os.PathLike[str] | Mapping[str | bytes, str | os.PathLike[str] | Archive] | Iterable[Archive], *, demangle: bool = True, copy: bool = False, max_archives: int = 1024, max_memory: int = 1073741824) -> None: ...

    def symbolize(self, build_ids: object, addresses: object, *, are_returns: bool = False, with_reasons: bool = False) -> Any:
        """
        The frames of each row, as Archive.symbolize() gives them. The
        build IDs are an Arrow array of text in hexadecimal digits or of
        bytes, or a dictionary of them, or one build ID for all rows. What
        is wrong with an archive costs its rows, which are null; with
        with_reasons the second of a pair says why.
        """

    def lookup(self, build_id: str | bytes, address: int, *, is_return: bool = False) -> lidia._records.Frames:
        """The functions at an address, as Archive.lookup() gives them."""

    def figures(self) -> dict[str, Any]:
        """
        What is open, and of a store what was opened, missing and
        requested since the symbolizer was made, as a dictionary.
        """

    def metrics(self) -> str:
        """The figures of a store as text that Prometheus reads."""

    def record_use(self) -> None:
        """
        Notes in the store the build IDs that were found there since the
        last call, so that llvm-lidia store prune keeps them. To be called
        now and then, at least once a day.
        """

    def __repr__(self) -> str: ...

class Process:
    """
    The mappings of a process, and the archives of its modules, for a
    profiler: of the live process pid, or of a saved /proc/PID/maps, whose
    files are opened below the folder root ("/": those of this system),
    or not at all. Archives come from the store, if one is given, or from
    the cache, where they are made when they are first needed. The
    mappings are read now. Threads can share a process.
    """

    def __init__(self, pid: int | None = None, *, maps: str | None = None, root: str | os.PathLike[str] | None = None, store: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None, demangle: bool = True) -> None: ...

    def lookup(self, address: int, *, is_return: bool = False) -> lidia._records.StackFrame:
        """
        The functions at a runtime address, and its module. With is_return
        the address is a return address, and the answer that of the call
        before it.
        """

    def unwind(self, registers: Mapping[str | int, int], read_memory: Callable[[int, int], bytes | None] | None = None, *, max_frames: int = 1024, scan: bool = False, code_mask: int = 0, machine: str | None = None) -> lidia._records.Stack:
        """
        The stack of a thread with these registers, by their names ("rip",
        "rsp"; "pc", "sp" and "fp" on all machines) or their numbers in
        DWARF. read_memory(address, size) returns the memory at an address,
        or less of it, or None; without it the live process is read. What
        it raises ends the call. Where nothing else leads on, scan allows
        a search on the stack. code_mask has the bits of a return address
        that hold no address. machine is named as platform.machine() does;
        by default it is the process's, or else this one.
        """

class Cancellation:
    """Stops a call, from another thread."""

    def __init__(self) -> None: ...

    def cancel(self) -> None: ...

def convert(binary: str | bytes, output: str, files: bool, lines: bool, columns: bool, checksums: bool, compress: bool, find_debug_file: bool, debug_file: str, architecture: str, threads: int, cancellation: Cancellation) -> list[str]: ...

def add_to_store(store: str, inputs: list[str], work_folder: str, force: bool, threads: int, cancellation: Cancellation) -> tuple[int, int, int, list[str], list[str]]: ...

def symbolize_profile(data: bytes, name: str, binaries: list[str], folders: list[str], root: str, store: str, cache: str, demangle: bool, force: bool, columns: bool, input_format: str, format: str, cancellation: Cancellation) -> tuple[bytes, list[str]]: ...
