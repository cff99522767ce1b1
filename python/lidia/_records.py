"""The results of lookups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import _html

_FRAME_HEAD = ["Function", "File", "Inlined"]

class Frame(NamedTuple):
    """A function in an answer. Unknown values are None."""

    function: str | None
    file: str | None
    line: int | None
    column: int | None
    #: Whether the function was inlined into the next frame.
    inlined: bool
    #: The piece of code of the function, or of the inlined call, that has the address:
    #: where it begins in the module, and its size in bytes.
    start: int | None = None
    size: int | None = None
    #: How far the address is after the beginning.
    offset: int | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column)
                         if part is not None)
        return f"{self.function or '??'} at {place}" if place else self.function or "??"

    def _cells(self) -> list[str]:
        return [self.function or "??", _html.place(self.file, self.line, self.column),
                "inlined" if self.inlined else ""]

    def _repr_html_(self) -> str:
        return _html.table(_FRAME_HEAD, [self._cells()])


class Frames(list[Frame]):
    """The functions at an address, innermost first. Each one is inlined into the next."""

    def _repr_html_(self) -> str:
        return _html.table(_FRAME_HEAD, (frame._cells() for frame in self))


class StackFrame(NamedTuple):
    """A frame of a stack, or the answer for a runtime address."""

    #: The address of the next instruction; in callers, of the one after the call.
    address: int
    #: How it was found: "context", "cfi", "frame_pointer" or "scan"; None for an address.
    trust: str | None
    frames: Frames
    #: The path as mapped; "[vdso]", "[anon]", "[jit]", "[unknown]", ...
    module: str
    #: The address in the module, as in its symbol table.
    module_address: int | None
    #: The reason why the module has no archive.
    reason: str | None
    #: The stack pointer.
    sp: int
    #: Whether the address is a return address.
    is_return: bool
    #: Whether this is the code to which a signal handler returns.
    is_signal: bool
    #: Whether the function made a tail call, and so is not on the stack itself.
    is_tail_call: bool = False
    #: The code of the reason why there is no name or no line ("no_file"; see
    #: docs/Misses.md); None if there are both.
    miss: str | None = None

    def __str__(self) -> str:
        place = self.module
        if self.module_address is not None:
            place += f"+{self.module_address:#x}"
        names = " in ".join(str(frame) for frame in self.frames) or "??"
        return f"{self.address:#x} {names} ({place})"

    def _rows(self) -> Iterator[list[str]]:
        """A row for each function. The last row has the module and address."""
        module = self.module
        if self.module_address is not None:
            module += f"+{self.module_address:#x}"
        last = [f"{self.address:#x}", self.trust or "", module, self.reason or ""]
        for frame in self.frames[:-1]:
            yield [*frame._cells(), "", "", "", ""]
        yield [*(self.frames[-1]._cells() if self.frames else ["??", "", ""]), *last]

    def _repr_html_(self) -> str:
        return _html.table(_STACK_HEAD, self._rows())


_STACK_HEAD = [*_FRAME_HEAD, "Address", "Found by", "Module", "Without names because"]


class Stack(NamedTuple):
    """The stack of a thread."""

    #: Innermost first.
    frames: list[StackFrame]
    #: Why the stack ends here: "complete", "no_memory", "no_rows", "corrupt", "too_long".
    end: str
    #: The address without memory or without unwind information.
    end_address: int | None

    def format(self) -> list[str]:
        """The lines of a traceback, as traceback.format_list() has them: outermost first,
        with a line for each inlined call."""
        lines = []
        for caller in reversed(self.frames):
            for frame in reversed(caller.frames):
                place = f'"{frame.file}", line {frame.line}' if frame.line else \
                    f'"{caller.module}"'
                inlined = ", inlined" if frame.inlined else ""
                lines.append(f"  File {place}, in {frame.function or '??'}{inlined}\n")
            if not caller.frames:
                lines.append(f'  File "{caller.module}", at {caller.address:#x}\n')
        return lines

    def _repr_html_(self) -> str:
        end = f"end: {self.end}"
        if self.end_address is not None:
            end += f" at {self.end_address:#x}"
        return _html.table(_STACK_HEAD, (row for frame in self.frames for row in frame._rows()),
                           end)


class Location(NamedTuple):
    """A runtime address in terms that hold on other machines. Unknown values are None."""

    #: The path as mapped, or "[vdso]", "[heap]", ...
    path: str | None
    #: The build ID of the module, in hexadecimal digits.
    build_id: str | None
    #: The offset of the address in the module's file.
    file_offset: int | None
    #: The address in the module's own address space, which archives have.
    address: int | None


class Function(NamedTuple):
    """A function of an archive: all code and all inlined calls with one name."""

    name: str
    file: str | None
    #: The entry addresses: several if several functions have this name, none
    #: if it is only inlined.
    entries: tuple[int, ...]
    #: The number of ranges of code in which it is inlined.
    inlined: int


class Added(NamedTuple):
    """The results of add_to_store()."""

    #: The numbers of archives that were added, and that the store already had.
    added: int
    present: int
    #: The number of binaries without a build ID, or without any names for code.
    skipped: int
    #: The reasons why others failed.
    failures: list[str]
