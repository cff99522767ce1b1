"""From an address to its functions, files and lines."""

from ._errors import (
    ConversionWarning,
    Damaged,
    Error,
    LimitExceeded,
    MissingDebugInfo,
    NotABinary,
    NotAnArchive,
    Unsupported,
)
from ._functions import add_to_store, convert, symbolize_pprof
from ._lidia import Archive, Array, ChunkedArray, Symbolizer
from ._records import Added, Frame, Function

__all__ = [
    "Added",
    "Archive",
    "Array",
    "ChunkedArray",
    "ConversionWarning",
    "Damaged",
    "Error",
    "Frame",
    "Function",
    "LimitExceeded",
    "MissingDebugInfo",
    "NotABinary",
    "NotAnArchive",
    "Symbolizer",
    "Unsupported",
    "add_to_store",
    "convert",
    "symbolize_pprof",
]
