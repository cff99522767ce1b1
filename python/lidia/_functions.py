"""Converting binaries, and symbolizing profiles."""

from __future__ import annotations

import concurrent.futures
import os
import tempfile
import warnings as python_warnings
from collections.abc import Callable, Iterable
from typing import Any, Literal, ParamSpec, TypeVar

from . import _html, _lidia
from ._errors import ConversionWarning
from ._lidia import Archive
from ._records import Added, Stack


_MOST_WARNINGS = 10


def _report(messages: list[str], to: list[str] | None) -> None:
    if to is not None:
        to.extend(messages)
        return
    if len(messages) > _MOST_WARNINGS:
        rest = len(messages) - _MOST_WARNINGS
        messages = [*messages[:_MOST_WARNINGS],
                    f"{rest} more warnings: give a list as warnings= to have all"]
    for message in messages:
        python_warnings.warn(message, ConversionWarning, stacklevel=3)


_P = ParamSpec("_P")
_T = TypeVar("_T")


def _run(call: Callable[[_lidia.Cancellation], _T]) -> _T:
    """Runs a call in another thread, so that Ctrl-C can stop it: Python handles signals
    only in the main thread, and only while that thread runs Python code. to_thread() has
    done so already."""
    outer = _lidia.Cancellation.of_thread()
    if outer is not None:
        return call(outer)
    stop = _lidia.Cancellation()
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        future = executor.submit(call, stop)
        try:
            # The system may run the handler in another thread, and nothing wakes this one.
            while not concurrent.futures.wait([future], timeout=0.05).done:
                pass
            return future.result()
        finally:
            stop.cancel()


async def to_thread(function: Callable[_P, _T], /, *args: _P.args,
                    **kwargs: _P.kwargs) -> _T:
    """Calls a function or method of this package in a thread, as asyncio.to_thread() does,
    and waits for it.

    If the task is cancelled, as by Ctrl-C, the call ends soon and leaves nothing
    unfinished, where asyncio.to_thread() would let it go on.
    """
    import asyncio

    stop = _lidia.Cancellation()
    begun = False

    def call() -> _T:
        nonlocal begun
        begun = True
        with stop:
            try:
                return function(*args, **kwargs)
            except StopIteration as error:
                # A future cannot have it.
                raise RuntimeError("the function raised StopIteration") from error

    task = asyncio.create_task(asyncio.to_thread(call))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.cancel()
        if not begun:
            # It waits for a thread, and ends at once if it gets one now.
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise


def convert(
    binary: str | os.PathLike[str] | bytes,
    output: str | os.PathLike[str] | None = None,
    *,
    files: bool = True,
    lines: bool = True,
    columns: bool = False,
    checksums: bool = True,
    compress: bool = False,
    find_debug_file: bool = True,
    debug_file: str | os.PathLike[str] | None = None,
    architecture: str = "",
    threads: int = 0,
    warnings: list[str] | None = None,
) -> Archive:
    """Makes the archive of a binary, and opens it.

    The binary is a path, or bytes. The archive is written atomically to the file
    output; without output, it is open but has no name, and disappears when it is
    closed. Malformed parts are left out, with a ConversionWarning, or with a text in
    the list warnings. threads=0 means as many as the machine has. Ctrl-C stops the
    call, and leaves no file.
    """
    source = binary if isinstance(binary, bytes) else os.fspath(binary)

    def write(path: str) -> None:
        messages = _run(lambda stop: _lidia.convert(
            source, path, files, lines, columns, checksums, compress,
            find_debug_file, os.fspath(debug_file) if debug_file else "",
            architecture, threads, stop))
        _report(messages, warnings)

    if output is not None:
        place = os.fspath(output)
        if place == "-":
            place = os.path.join(os.curdir, place)  # a file, and not standard output
        write(place)
        return Archive(place)
    with tempfile.TemporaryDirectory(prefix="lidia-") as folder:
        path = os.path.join(folder, "archive.lidia")
        write(path)
        # A mapped file remains valid after its name is removed.
        return Archive(path)


def names(
    binary: str | os.PathLike[str],
    *,
    demangle: bool = True,
    warnings: list[str] | None = None,
) -> Archive:
    """Opens the names of a binary, at once: those of its symbol tables or its debug
    file's, and of Go's tables. There are neither lines nor inlined calls.

    The archive is in no file. The binary stays mapped, and must not be truncated.
    """
    archive, messages = _lidia.open_names(binary, demangle)
    _report(messages, warnings)
    return archive


_own: tuple[int, int, _lidia.Process] | None = None


def _own_process() -> _lidia.Process:
    """This process, opened again in a child and after libraries were loaded."""
    global _own
    with open("/proc/self/maps", "rb") as file:
        # The heap and the stacks grow all the time.
        code = hash(b"".join(line for line in file if b" r-xp " in line))
    if _own is None or _own[:2] != (os.getpid(), code):
        _own = os.getpid(), code, _lidia.Process(os.getpid(), names_only=True,
                                                 lines_later=True)
    return _own[2]


def current_stack(*, max_frames: int = 1024) -> Stack:
    """The stack of the calling thread in the code of the interpreter and of extensions
    in C++ and other languages.

    The first call for a module gives names. Lines and inlined calls follow when its
    archive has been made, in the background. Stack.format() has the lines of a traceback.
    """
    return _own_process().current_stack(max_frames=max_frames)


def add_to_store(
    store: str | os.PathLike[str],
    inputs: Iterable[str | os.PathLike[str]],
    *,
    force: bool = False,
    threads: int = 0,
    warnings: list[str] | None = None,
) -> Added:
    """Adds the archives of binaries, debug files, packages, tar files and folders.

    The store is a folder or s3://bucket/prefix, as in llvm-lidia store add. Each build
    ID is converted once. Archives that the store already has are not replaced unless
    force is set. Failures are listed, and do not stop the call. Ctrl-C stops it; what it
    has added stays, and calling it again adds the rest.
    """
    names = [os.fspath(path) for path in inputs]
    with tempfile.TemporaryDirectory(prefix="lidia-") as folder:
        added, present, skipped, failures, messages = _run(
            lambda stop: _lidia.add_to_store(os.fspath(store), names, folder, force,
                                             threads, stop))
    _report(messages, warnings)
    return Added(added, present, skipped, failures)


class Profile(bytes):
    """A profile in the requested format. Notebooks show its flame graph, or the
    beginning of its text."""

    #: The format given to symbolize_profile(); None for the format of the input.
    format: str | None = None

    def _repr_html_(self) -> str | None:
        if self.format in ("text", "top", "folded"):
            return _html.block(self.decode("utf-8", "backslashreplace"))
        if self.format == "html":
            document: bytes = self
        elif self.format in (None, "pprof", "otlp", "otlp-json"):
            # This opens no files, so frames without names have none in the flame graph.
            document = symbolize_profile(bytes(self), format="html", warnings=[])
        else:
            return None
        return _html.page(document.decode("utf-8", "backslashreplace"), "Flame graph")


def symbolize_profile(
    profile: str | os.PathLike[str] | bytes,
    *,
    format: str | None = None,
    input_format: str | None = None,
    binaries: Iterable[str | os.PathLike[str]] = (),
    folders: Iterable[str | os.PathLike[str]] = (),
    root: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    demangle: bool = True,
    force: bool = False,
    columns: bool = True,
    on_store_error: Literal["raise", "null"] = "raise",
    warnings: list[str] | None = None,
) -> Profile:
    """Adds names and lines to a profile, which is a file or its bytes.

    The result has the given format, which is one of llvm-lidia profile's
    --format ("pprof", "otlp", "folded", "speedscope", "html" and others), or the
    format of the input. The format of the input is detected from its contents;
    recordings of perf and the text of perf script are supported, too.

    Files that the profile names are opened only where the caller allows it, as in
    llvm-lidia profile: binaries are the programs themselves, folders contain them in
    any place, and root="/" means the files of this system. Their archives are made in
    the folder cache, or in the user's cache. The archives in a store, a folder or
    s3://bucket/prefix, are used for modules with build IDs. If the store does not answer,
    OSError is raised or, with on_store_error="null", other files are used. Locations
    that already have lines are not changed unless force is set. An archive beside a file
    is used only if it has columns, unless columns is False or there is no other archive.
    """
    if isinstance(profile, bytes):
        data, name = profile, "profile"
    else:
        name = os.fspath(profile)
        with open(name, "rb") as file:
            data = file.read()
    programs = [os.fspath(path) for path in binaries]
    places = [os.fspath(path) for path in folders]
    result, messages = _run(lambda stop: _lidia.symbolize_profile(
        data, name, programs, places, os.fspath(root or ""), os.fspath(store or ""),
        os.fspath(cache or ""), demangle, force, columns, on_store_error, input_format or "",
        format or "", stop))
    _report(messages, warnings)
    profile_of = Profile(result)
    profile_of.format = format
    return profile_of


def symbolize_pprof(
    profile: str | os.PathLike[str] | bytes, **options: Any
) -> Profile:
    """Calls symbolize_profile() for a pprof profile, and returns one."""
    return symbolize_profile(profile, input_format="pprof", format="pprof", **options)
