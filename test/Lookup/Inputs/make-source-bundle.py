#!/usr/bin/env python3
"""Writes a source bundle of Sentry's tools, or a damaged one, for a test:

    make-source-bundle.py KIND FILE [MANIFEST] [NAME=TEXT...]

KIND is manifest; damaged, where the last file does not match its checksum; deep, where
the manifest is a million nested lists; many, where it has 100,000 empty files with long
paths; or none, without a manifest.
"""

import json
import sys
import zipfile

kind, target, *rest = sys.argv[1:]
manifest = rest.pop(0) if kind in ("manifest", "damaged") else "[" * 1_000_000
if kind == "many":
    paths = [f"src/{'component/' * 12}{i:06}.c" for i in range(100_000)]
    manifest = json.dumps({"files": {p: {"path": "/" + p} for p in paths}})
    rest = [p + "=" for p in paths]
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
