"""The part of lidia that is in C++."""

from collections.abc import Callable, Iterable, Mapping
import os
from typing import Any, BinaryIO, Literal

import lidia._records


def version() -> str: ...

class ChunkedArray:
    """
    Rows in several Arrow arrays. pyarrow.chunked_array(), polars.Series()
    and others take it without copying.
    """

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def misses(self) -> dict[str, int]:
        """
        How many rows have no name or no line, by the code of the reason
        (docs/Misses.md).
        """

    def __arrow_c_schema__(self) -> object: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Array:
    """
    Rows in one Arrow array. pyarrow.array(), polars.Series() and others
    take it without copying.
    """

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def misses(self) -> dict[str, int]:
        """
        How many rows have no name or no line, by the code of the reason
        (docs/Misses.md).
        """

    def __arrow_c_schema__(self) -> object: ...

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Archive:
    """
    An archive that is open for lookups. The source is a path, a URL
    (https, http, s3), bytes, or a binary file object with seek() and
    read(). A file is mapped: it must not be truncated while the archive
    is open, unless it is opened with copy=True. Threads can share an
    archive.
    """

    def __init__(self, source: str | bytes | os.PathLike[str] | BinaryIO, *, demangle: bool = True, copy: bool = False) -> None: ...

    def lookup(self, address: int, *, is_return: bool = False) -> lidia._records.Frames:
        """
        The functions at an address of the binary, innermost first;
        empty if nothing is known about it. With is_return, the address
        is a return address, and the result is that of the call before
        it.
        """

    def lookup_batch(self, addresses: Iterable[int], *, are_returns: bool = False) -> list[lidia._records.Frames]:
        """The result of lookup() for each address, in the same order."""

    def symbolize(self, addresses: object, *, are_returns: bool = False, with_reasons: bool = False, with_misses: bool = False) -> Any:
        """
        The frames of each row of an Arrow array of uint64 or int64, as
        an Arrow array of the type list<struct<function, file, line,
        inlined>>: a lidia.Array or, for a chunked array, a
        lidia.ChunkedArray. Null if nothing is known about the address.
        With with_reasons or with_misses, returns a tuple: the frames,
        the reasons why rows have none, as texts, and the codes of the
        reasons (docs/Misses.md), also of rows without lines.
        """

    def functions(self) -> list[lidia._records.Function]:
        """All functions with names, in order of address."""

    def find(self, name: str) -> list[lidia._records.Function]:
        """
        The functions of a name: the linkage name, or the readable one,
        with or without scopes and parameters.
        """

    def address_of(self, file_offset: int) -> int | None:
        """
        The address of the code at an offset in the binary's file; None
        if there is none, or the archive does not say where code is.
        """

    def files(self) -> list[str]:
        """All source files."""

    def verify(self) -> None:
        """
        Reads the whole archive. Raises lidia.Damaged if it contradicts
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

    def __reduce__(self) -> tuple[Any, ...]:
        """Archives are pickled by path, URL or bytes."""

    def __repr__(self) -> str: ...

def open_names(binary: str | os.PathLike[str], demangle: bool) -> tuple[Archive, list[str]]: ...

class Symbolizer:
    """
    The archives of a store (a folder or s3://bucket/prefix), of a
    mapping from build IDs to archives or their paths or URLs, or of a
    list of archives. Each archive is opened when it is first needed.
    The max_archives archives that were used last stay open, if they
    need at most max_memory bytes of memory without names. Threads can
    share a symbolizer.
    """

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str] | Archive] | Mapping[bytes, str | os.PathLike[str] | Archive] | Iterable[Archive], *, demangle: bool = True, copy: bool = False, max_archives: int = 1024, max_memory: int = 1073741824, on_store_error: Literal['raise', 'null'] = 'raise') -> None: ...

    def symbolize(self, build_ids: object, addresses: object, *, are_returns: bool = False, with_reasons: bool = False, with_misses: bool = False) -> Any:
        """
        The frames of each row, as in Archive.symbolize(). The build IDs
        are an Arrow array of hexadecimal text or of bytes, or a
        dictionary of them, or one build ID for all rows. An archive that
        is missing or damaged affects only its rows, which are null. A
        store that does not answer is asked again for half a minute
        (LIDIA_STORE_TIMEOUT); then OSError is raised or, with
        on_store_error="null", rows are null with the code no_answer.
        """

    def lookup(self, build_id: str | bytes, address: int, *, is_return: bool = False) -> lidia._records.Frames:
        """The functions at an address, as in Archive.lookup()."""

    def figures(self) -> dict[str, Any]:
        """
        The numbers of open archives and, for a store, of archives that
        were opened, missing and requested since the symbolizer was
        created, as a dictionary.
        """

    def metrics(self) -> str:
        """The figures of a store in Prometheus's text format."""

    def record_use(self) -> None:
        """
        Records in the store the build IDs that were found there since
        the last call, so that llvm-lidia store prune keeps them. Call
        it regularly, at least once a day.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Symbolizers are pickled by what they were made of."""

    def __repr__(self) -> str: ...

def build_id(path: str | os.PathLike[str]) -> str | None:
    """The build ID of a binary, in hexadecimal digits; None if it has none."""

class Process:
    """
    The mappings of a process and the archives of its modules, for a
    profiler. The process is the live process pid, or a saved
    /proc/PID/maps, whose files are opened below the folder root ("/"
    for the files of this system), or not at all without root. Archives
    come from the store, if one is given, or from the cache, where they
    are made when they are first needed. If the store does not answer,
    calls raise OSError, unless on_store_error is "null". The mappings are read at once.
    Threads can share a process.
    With names_only, modules without an archive get names from their
    symbol tables at once, and no lines; with lines_later, too, archives
    are made in the background, and later answers have lines. With
    kernel, addresses of the kernel are answered by /proc/kallsyms, and
    by the image vmlinux, if it is given.
    """

    def __init__(self, pid: int | None = None, *, maps: str | None = None, root: str | os.PathLike[str] | None = None, store: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None, demangle: bool = True, on_store_error: Literal['raise', 'null'] = 'raise', names_only: bool = False, lines_later: bool = False, kernel: bool = False, vmlinux: str | os.PathLike[str] | None = None) -> None: ...

    def lookup(self, address: int, *, is_return: bool = False) -> lidia._records.StackFrame:
        """
        The functions at a runtime address, and its module. With
        is_return, the address is a return address, and the result is
        that of the call before it.
        """

    def prepare(self, addresses: Iterable[int], *, threads: int = 0) -> None:
        """
        Opens the modules of runtime addresses side by side, so that
        their first answers do not wait for each other.
        """

    def current_stack(self, *, max_frames: int = 1024) -> lidia._records.Stack:
        """
        The stack of the calling thread, of the interpreter and of
        extensions. The process must be the calling one.
        """

    def locate(self, address: int) -> lidia._records.Location:
        """
        The module of a runtime address, and the address in it, without
        reading any symbols: to symbolize it later, elsewhere.
        """

    def unwind(self, registers: Mapping[str | int, int], read_memory: Callable[[int, int], bytes | None] | None = None, *, max_frames: int = 1024, scan: bool = False, code_mask: int = 0, machine: str | None = None) -> lidia._records.Stack:
        """
        The stack of a thread with these registers, which are given by
        name ("rip", "rsp"; "pc", "sp" and "fp" on all machines) or
        DWARF number. read_memory(address, size) returns the memory at
        an address, or a part of it, or None; without it, the memory of
        the live process is read. An exception from read_memory ends the
        call. If all else fails, scan allows a search on the stack.
        code_mask has the bits of a return address that are not part of
        the address. machine is a name as from platform.machine(); by
        default it is the process's machine, or else this one.
        """

class Cancellation:
    """
    Stops calls from another thread: those that are given it, and all in a with statement.
    """

    def __init__(self) -> None: ...

    def cancel(self) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

    @staticmethod
    def of_thread() -> Cancellation | None: ...

def convert(binary: str | bytes, output: str, files: bool, lines: bool, columns: bool, checksums: bool, compress: bool, find_debug_file: bool, debug_file: str, architecture: str, threads: int, cancellation: Cancellation) -> list[str]: ...

def add_to_store(store: str, inputs: list[str], work_folder: str, force: bool, threads: int, cancellation: Cancellation) -> tuple[int, int, int, list[str], list[str]]: ...

def symbolize_profile(data: bytes, name: str, binaries: list[str], folders: list[str], root: str, store: str, cache: str, demangle: bool, force: bool, columns: bool, on_store_error: str, input_format: str, format: str, cancellation: Cancellation) -> tuple[bytes, list[str]]: ...
