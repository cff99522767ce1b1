#!/usr/bin/env python3
"""Runs lit, and ends with one plain line with the number of tests passed.

Usage: run-lit.py LIT.PY [LIT'S ARGUMENT...]

A list of the tests that did not run, grouped by reason, precedes that line. The line is
also written to the file that LIDIA_RESULT_FILE names, if set. The exit status is lit's.
"""

import json
import os
import subprocess
import sys
import tempfile

# lit's result codes; the others (UNSUPPORTED, SKIPPED, EXCLUDED) did not run.
PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
FAILED = {"FAIL", "XPASS", "UNRESOLVED", "TIMEOUT"}


def report_not_run(tests):
    """Prints the names of TESTS by reason, which lit has as their output."""
    by_reason = {}
    for test in tests:
        reason = test["output"].strip() or "no reason given"
        by_reason.setdefault(reason, []).append(test["name"])
    for reason, names in sorted(by_reason.items()):
        print(f"{len(names)} did not run: {reason}")
        for name in sorted(names):
            print("   ", name)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) > 1 else 2
    with tempfile.TemporaryDirectory() as directory:
        results = os.path.join(directory, "results.json")
        # Tests wait a third of their time for servers and for each other's programs.
        workers = str((os.cpu_count() or 1) * 3 // 2)
        command = [sys.executable, sys.argv[1], "--output", results, "-j", workers]
        command += sys.argv[2:]
        status = subprocess.call(command)
        try:
            with open(results, encoding="utf-8") as file:
                tests = json.load(file)["tests"]
        except (OSError, ValueError, KeyError):
            print("run-lit: lit left no results", file=sys.stderr)
            return status or 1
    passed = sum(test["code"] in PASSED for test in tests)
    failed = sum(test["code"] in FAILED for test in tests)
    # Tests that LIT_FILTER excludes are not counted.
    not_run = [t for t in tests if t["code"] not in PASSED | FAILED | {"EXCLUDED"}]
    report_not_run(not_run)
    skipped = f", {len(not_run)} skipped" if not_run else ""
    line = f"{passed} passed, {failed} failed{skipped}"
    print(line)
    if os.environ.get("LIDIA_RESULT_FILE"):
        with open(os.environ["LIDIA_RESULT_FILE"], "w", encoding="utf-8") as file:
            print(line, file=file)
    return status


if __name__ == "__main__":
    sys.exit(main())
