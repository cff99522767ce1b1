#!/usr/bin/env python3
"""Runs lit, and says in one plain line at the end how many tests passed.

Usage: run-lit.py <lit.py> [lit's arguments...]

Before "N passed, N failed" comes a line that counts those that did not run
because something they need is not here. The exit status is lit's.
"""

import json
import os
import subprocess
import sys
import tempfile

# lit's result codes; the others (UNSUPPORTED, SKIPPED, EXCLUDED) did not run.
PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
FAILED = {"FAIL", "XPASS", "UNRESOLVED", "TIMEOUT"}


def main():
    with tempfile.TemporaryDirectory() as directory:
        results = os.path.join(directory, "results.json")
        command = [sys.executable, sys.argv[1], "--output", results] + sys.argv[2:]
        status = subprocess.call(command)
        try:
            with open(results, encoding="utf-8") as file:
                tests = json.load(file)["tests"]
        except (OSError, ValueError, KeyError):
            print("run-lit: lit left no results", file=sys.stderr)
            return status or 1
    codes = [test["code"] for test in tests]
    passed = sum(code in PASSED for code in codes)
    failed = sum(code in FAILED for code in codes)
    skipped = len(codes) - passed - failed
    if skipped:
        print(f"{skipped} did not run: what they need is not here")
    print(f"{passed} passed, {failed} failed")
    return status


if __name__ == "__main__":
    sys.exit(main())
