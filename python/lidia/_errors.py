"""The exceptions. System errors are OSErrors, and wrong arguments are ValueErrors."""

from __future__ import annotations


class Error(Exception):
    """The base class of all errors. The text names the file."""

    def __init__(self, message: str, file: str | None = None) -> None:
        super().__init__(message, file)
        #: The file, the URL or the name of the input, if there is one.
        self.file = file

    def __str__(self) -> str:
        return str(self.args[0])


class NotAnArchive(Error):
    """The file is not an archive, and does not begin like one."""


class NotABinary(Error):
    """The file has no supported binary format."""


class Damaged(Error):
    """The contents contradict their format, or are truncated."""


class Unsupported(Error):
    """The input or output needs something that this version does not support."""


class MissingDebugInfo(Error):
    """The file has no debug information, or lacks other requested information such as
    symbols."""


class LimitExceeded(Error):
    """The input exceeds a limit that protects from crafted files."""


class ConversionWarning(UserWarning):
    """A part of the input is malformed and was left out."""
