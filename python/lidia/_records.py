"""What lookups answer."""

from __future__ import annotations

from typing import NamedTuple


class Frame(NamedTuple):
    """A function of an answer; what is not known is None."""

    function: str | None
    file: str | None
    line: int | None
    column: int | None
    #: Whether it was inlined into the next frame.
    inlined: bool

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column)
                         if part is not None)
        return f"{self.function or '??'} at {place}" if place else self.function or "??"


class Function(NamedTuple):
    """A function of an archive: all code and all inlined calls of one name."""

    name: str
    file: str | None
    #: Where it is entered: several if there are several functions of the name, none
    #: if it is only inlined.
    entries: tuple[int, ...]
    #: The ranges of code that it is inlined in.
    inlined: int


class Added(NamedTuple):
    """What became of the inputs of add_to_store()."""

    #: Archives added, and those that the store had already.
    added: int
    present: int
    #: Binaries without a build ID, or in which nothing names any code.
    skipped: int
    #: Why others failed.
    failures: list[str]
