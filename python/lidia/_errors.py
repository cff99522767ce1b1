"""The exceptions. Errors of the system are OSErrors, wrong arguments ValueErrors."""

from __future__ import annotations


class Error(Exception):
    """The base of all. The text names the file."""

    def __init__(self, message: str, file: str | None = None) -> None:
        super().__init__(message, file)
        #: The file, the URL or the name of the input, if there is one.
        self.file = file

    def __str__(self) -> str:
        return str(self.args[0])


class NotAnArchive(Error):
    """The file is no archive, and does not begin like one."""


class NotABinary(Error):
    """The file is in no format of binaries that is read."""


class Damaged(Error):
    """The contents contradict their format, or end too early."""


class Unsupported(Error):
    """Something that this version does not read or write."""


class MissingDebugInfo(Error):
    """The file lacks what was asked for: debug information, symbols."""


class LimitExceeded(Error):
    """More than a limit that protects from crafted input."""


class ConversionWarning(UserWarning):
    """A part of the input is malformed and was left out."""
