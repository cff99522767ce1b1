"""Calls that mypy --strict accepts."""

import os

import lidia

paths: dict[str, str] = {"ab12": "a.lidia"}
places: dict[bytes, os.PathLike[str]] = {}
archives: dict[str, lidia.Archive] = {}
lidia.Symbolizer(paths)
lidia.Symbolizer(places)
lidia.Symbolizer(archives, on_store_error="null")
lidia.Symbolizer(list(archives.values()))
misses: dict[str, int] = lidia.Symbolizer(paths).symbolize([], []).misses
