#!/usr/bin/env python3
"""Fails if a page lacks a format of Formats.def or its extension.

Usage: check-formats.py SOURCE-FOLDER
"""

import os
import re
import sys

os.chdir(sys.argv[1])


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


rows = re.findall(r'^PROFILE_(\w+)\(\w+, "([\w-]+)"(?:, "([\w.]+)")?',
                  read("include/lidia/Profile/Formats.def"), re.M)
guide = read("docs/CommandGuide/llvm-lidia-profile.md")
values = [(option, set(re.findall(r"\*([\w-]+)\*", text))) for option, text in
          re.findall(r"^\*\*--((?:\w+-)?format)\*\*=(.*)$", guide, re.M)]
written = {name for kind, name, _ in rows if kind != "INPUT"}
given = {name for kind, name, _ in rows if kind != "OUTPUT"}
assert len(written) > 5 and ("format", written) in values, (values, written)
assert ("input-format", given) in values, (values, given)
for _, _, ending in rows:
    for page in ("docs/CommandGuide/llvm-lidia-profile.md", "docs/Profiles.md"):
        assert not ending or f"`{ending}`" in read(page), (page, ending)
