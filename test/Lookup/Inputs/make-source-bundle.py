#!/usr/bin/env python3
"""Writes a source bundle of Sentry's tools, or a damaged one, for a test:

    make-source-bundle.py KIND FILE [MANIFEST] [NAME=TEXT...]

KIND is manifest; damaged, where the last file does not match its checksum; deep, where
the manifest is a million nested lists; or none, without a manifest.
"""

import sys
import zipfile

kind, target, *rest = sys.argv[1:]
manifest = rest.pop(0) if kind in ("manifest", "damaged") else "[" * 1_000_000
with zipfile.ZipFile(target, "w") as out:
    if kind != "none":
        out.writestr("manifest.json", manifest, zipfile.ZIP_DEFLATED)
    for file in rest:
        name, text = file.split("=", 1)
        out.writestr(zipfile.ZipInfo(name), text + "\n")
if kind == "damaged":
    data = open(target, "rb").read()
    text = (rest[-1].split("=", 1)[1] + "\n").encode()
    open(target, "wb").write(data.replace(text, text.swapcase(), 1))
