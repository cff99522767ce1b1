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
from ._functions import (
    Profile,
    add_to_store,
    convert,
    current_stack,
    names,
    symbolize_pprof,
    symbolize_profile,
    to_thread,
)
from ._lidia import Archive, Array, ChunkedArray, Process, Symbolizer, build_id, version as _version
from ._records import Added, Frame, Frames, Function, Location, Stack, StackFrame

__version__ = _version()

__all__ = [
    "Added",
    "Archive",
    "Array",
    "ChunkedArray",
    "ConversionWarning",
    "Damaged",
    "Error",
    "Frame",
    "Frames",
    "Function",
    "LimitExceeded",
    "Location",
    "MissingDebugInfo",
    "NotABinary",
    "NotAnArchive",
    "Process",
    "Profile",
    "Stack",
    "StackFrame",
    "Symbolizer",
    "Unsupported",
    "__version__",
    "add_to_store",
    "build_id",
    "convert",
    "current_stack",
    "names",
    "symbolize_pprof",
    "symbolize_profile",
    "to_thread",
]
