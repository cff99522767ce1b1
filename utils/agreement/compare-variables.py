#!/usr/bin/env python3
"""Compares the variables that LLDB shows with an archive and with DWARF.

Runs a program twice in LLDB, with its DWARF and stripped with an archive that
has variables, stops at the same random addresses, and compares the variables of
each frame: name, type and value, with members.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def session(lldb, program, command, plugin, arguments, stops, most, output):
    environment = dict(
        os.environ,
        LIDIA_PROGRAM=str(program),
        LIDIA_COMMAND=command,
        LIDIA_ARGUMENTS=json.dumps(arguments),
        LIDIA_STOPS=str(stops),
        LIDIA_MOST=str(most),
        LIDIA_OUTPUT=str(output),
    )
    options = ["-x", "-b"]
    if plugin:
        options += ["-o", f"plugin load {plugin}"]
    options += ["-o", f"command script import {HERE}/variables_session.py"]
    result = subprocess.run(
        [lldb, *options],
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if not pathlib.Path(output).exists():
        sys.exit(f"LLDB wrote nothing: {result.stdout}{result.stderr}")
    with open(output) as file:
        return [json.loads(line) for line in file]


def row_addresses(tool, archive):
    """The addresses of rows, where a debugger may stop."""
    text = subprocess.run(
        [tool, "dump", "--rows", archive], capture_output=True, text=True, check=True
    ).stdout
    # "  [0] 0x1000..0x1010 depth 0 f", and below it "    +0x4 file.c:1".
    addresses = set()
    start = 0
    for line in text.splitlines():
        if match := re.match(r"\s+\[\d+\] (0x[0-9a-f]+)\.\.", line):
            start = int(match[1], 16)
        elif match := re.match(r"\s+\+?(0x[0-9a-f]+|\d+) .*:\d", line):
            addresses.add(start + int(match[1], 0))
    return sorted(addresses)


def is_shown(value):
    """Whether LLDB shows a value, and not that there is none."""
    return value[2] != "unavailable"


def values_of(frame):
    """The first value of each name, which is the one that LLDB uses."""
    values = {}
    for value in frame["values"]:
        # A parameter without a name may have an empty one.
        name = value[0] or ""
        values.setdefault(name, [name] + value[1:])
    return values


def compare(with_dwarf, with_archive, show):
    counts = collections.Counter()
    ours = {(f["stop"], f["frame"]): f for f in with_archive}
    for frame in with_dwarf:
        other = ours.get((frame["stop"], frame["frame"]))
        if not other or other["pc"] != frame["pc"]:
            counts["frames that differ"] += 1
            continue
        counts["frames"] += 1
        found = values_of(other)
        for name, value in values_of(frame).items():
            same = found.get(name)
            if not is_shown(value):
                counts["without a value in DWARF"] += 1
                if same and is_shown(same):
                    counts["with a value that DWARF does not have"] += 1
                continue
            counts["values"] += 1
            if same == value:
                counts["equal"] += 1
                continue
            kind = (
                "missing"
                if not same
                else "unavailable" if not is_shown(same) else "different"
            )
            counts[kind] += 1
            if counts[kind] <= show:
                print(
                    f"{kind}: {frame['function']} at {frame['pc']:#x}: "
                    f"{json.dumps(value)[:300]}, here {json.dumps(same)[:300]}"
                )
        counts["only here"] += len(
            [n for n, v in found.items() if n not in values_of(frame) and is_shown(v)]
        )
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="a program with DWARF")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    parser.add_argument("--tool", default="llvm-lidia")
    parser.add_argument("--lldb", default="lldb-19")
    parser.add_argument("--plugin", default="", help="the plugin for LLDB")
    parser.add_argument("--stops", type=int, default=300)
    parser.add_argument("--candidates", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="differences to print")
    parser.add_argument("--keep", help="a folder for what is made")
    options = parser.parse_args()
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="variables-"))
    folder.mkdir(parents=True, exist_ok=True)
    # The arguments of a program are on its stack: paths have the same length.
    for name in ("original", "stripped"):
        (folder / name).mkdir(exist_ok=True)
    program = folder / "original" / pathlib.Path(options.program).name
    stripped = folder / "stripped" / program.name
    shutil.copy(options.program, program)
    archive = folder / (program.name + ".lidia")
    subprocess.run(["objcopy", "--strip-all", program, stripped], check=True)
    subprocess.run(
        [options.tool, "--crc", "--lines", "--columns", "--variables", program, "-o", archive],
        check=True,
    )
    addresses = row_addresses(options.tool, archive)
    random.seed(options.seed)
    chosen = random.sample(addresses, min(options.candidates, len(addresses)))
    stops = folder / "stops"
    stops.write_text("".join(f"{a:x}\n" for a in sorted(chosen)))
    common = (options.arguments, stops, options.stops)
    with_dwarf = session(
        options.lldb, program, "", "", *common, folder / "dwarf.json"
    )
    command = f"target symbols add {archive}"
    plugin = options.plugin
    if not plugin:
        # Without the plugin: the DWARF that the archive is exported as.
        exported = folder / "exported"
        subprocess.run([options.tool, "export", archive, "-o", exported], check=True)
        command = f"target symbols add {exported}"
    with_archive = session(
        options.lldb, stripped, command, plugin, *common, folder / "archive.json"
    )
    counts = compare(with_dwarf, with_archive, options.show)
    for what, count in sorted(counts.items()):
        print(f"{count:8} {what}")
    if counts["values"]:
        print(f"{counts['equal'] / counts['values']:.2%} of the values are equal")


if __name__ == "__main__":
    main()
