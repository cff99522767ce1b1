#!/usr/bin/env python3
"""Checks that a program keeps its identity after strip, and that another build has
another one.

usage: identities.py FOLDER

Builds the programs of matrix.py, and removes symbols and debug information with each
available tool. The archive of a program as linked must match the stripped program, but
not a program that was built with another constant.

Prints a line for each program and tool: ok, or the reason why it was not run. The exit
status is 1 if an archive is rejected or accepted wrongly.
"""

import os
import shlex
import shutil
import subprocess
import sys

from matrix import build, compilers, run

TOOLS = ["strip", "strip --strip-debug", "objcopy --strip-debug", "objcopy --strip-all",
         "eu-strip", "eu-strip --strip-debug", "llvm-strip", "llvm-strip --strip-debug"]


def difference(archive, path, *options):
    """The reason why ARCHIVE does not match the program; empty if it does."""
    result = subprocess.run(["llvm-lidia", "verify", "--crc", "--against=" + path, *options,
                             archive], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True, check=False)
    return result.stderr if result.returncode else ""


def with_other_constant(source):
    return source.replace("% 7", "% 5").replace("\tnop\n\tnop\n", "\tnop\n\tret\n")


def check_tool(tool, linked, archive):
    if not shutil.which(tool.split()[0]):
        return "not run: " + tool.split()[0] + " is missing"
    stripped = linked + ".stripped"
    shutil.copy(linked, stripped)
    run([*shlex.split(tool), stripped])
    refused = difference(archive, stripped, "--debug-file=" + linked)
    return "FAILED: " + refused if refused else "ok"


def check_debug_file(linked, archive):
    """Checks the debug file, which has no code and so no identity, and must match the
    archive."""
    if not shutil.which("objcopy"):
        return "not run: objcopy is missing"
    debug = linked + ".debug"
    run(["objcopy", "--only-keep-debug", linked, debug])
    refused = difference(archive, linked, "--debug-file=" + debug)
    return "FAILED: " + refused if refused else "ok"


def check_program(language, pie, folder):
    """The output lines for one program."""
    os.makedirs(folder)
    linked, reason = build(language, pie, folder)
    if not linked:
        return ["not run: " + reason]
    archive = linked + ".lidia"
    run(["llvm-lidia", "--crc", "--lines", linked, "-o", archive])
    lines = [f"{tool}: {check_tool(tool, linked, archive)}" for tool in TOOLS]
    lines.append(f"objcopy --only-keep-debug: {check_debug_file(linked, archive)}")
    os.makedirs(os.path.join(folder, "other"))
    other, _ = build(language, pie, os.path.join(folder, "other"), with_other_constant)
    why = difference(archive, other)
    # Go's programs have the same build ID here.
    expected = "other code under the same build ID" if language == "go" else "build ID"
    lines.append("another constant: " + ("ok" if expected in why else "FAILED: " + repr(why)))
    return lines


def main():
    failed = False
    for language in compilers(True):
        for pie in (True, False):
            name = f"{language} {'pie' if pie else 'fixed'}"
            folder = os.path.join(os.path.abspath(sys.argv[1]), name.replace(" ", "-"))
            for line in check_program(language, pie, folder):
                print(f"{name} {line}", flush=True)
                failed = failed or "FAILED" in line
    return failed


if __name__ == "__main__":
    sys.exit(main())
