#!/usr/bin/env python3
"""Prints the pages in docs/ with examples that no test runs.

Usage: check-pages.py SOURCE-FOLDER
"""

import glob
import os
import re
import sys

os.chdir(sys.argv[1])
tests = ""
for path in glob.glob("test/*/*.test"):
    with open(path, encoding="utf-8") as file:
        tests += file.read()
forgotten = []
for path in sorted(glob.glob("docs/**/*.md", recursive=True)):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if re.search(r"^(    )?\$ |^```(python|cpp|cmake|c)$", text, re.M) and path not in tests:
        forgotten.append(path)
for path in forgotten:
    print(path, "is run by no test")
sys.exit(bool(forgotten))
