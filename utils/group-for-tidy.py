#!/usr/bin/env python3
"""Groups the sources of each library, so that clang-tidy reads their headers once.

Reads the compilation database of a build folder, and writes one for clang-tidy. Its
files include the sources of a folder in groups, as in a unity build.
"""

import argparse
import json
import os
import shlex

# More files in a group save little time and make the last group of a run long.
GROUP_SIZE = 10
# Files that define the same names, each for itself.
APART = ("lib/UnwindInfo/", "lldb-plugin/Native/", "llvm-lidia/ProcessSetup.cpp")


def arguments_without_file(entry):
    """The arguments of the compiler, without the source, the output and the headers that
    GCC has precompiled, which clang cannot read. So clang finds missing includes."""
    arguments = entry.get("arguments") or shlex.split(entry["command"])
    arguments = [a for a in arguments if a not in (entry["file"], "-Winvalid-pch")]
    for option in ("-o", "-include"):
        if option in arguments:
            at = arguments.index(option)
            del arguments[at : at + 2]
    return arguments


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", help="the build folder")
    parser.add_argument("folder", help="where the groups and their database are written")
    arguments = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.abspath(arguments.folder)
    with open(os.path.join(arguments.build, "compile_commands.json")) as database:
        entries = json.load(database)

    groups = {}
    for entry in sorted(entries, key=lambda e: e["file"]):
        path = os.path.relpath(entry["file"], root)
        if not path.startswith(("lib/", "llvm-lidia/", "lldb-plugin/")):
            continue
        arguments = arguments_without_file(entry)
        key = (os.path.dirname(path), entry["directory"], tuple(arguments))
        if path.startswith(APART):
            key += (path,)
        groups.setdefault(key, []).append(entry["file"])

    os.makedirs(folder, exist_ok=True)
    result = []
    for (name, directory, command, *_), files in groups.items():
        for first in range(0, len(files), GROUP_SIZE):
            group = files[first : first + GROUP_SIZE]
            source = group[0]
            if len(group) > 1:
                source = f"{name.replace('/', '-')}-{len(result)}.cpp"
                source = os.path.join(folder, source)
                with open(source, "w") as text:
                    text.writelines(f'#include "{file}"\n' for file in group)
            result.append(
                {
                    "directory": directory,
                    "file": source,
                    "arguments": [*command, "-c", source],
                }
            )
    with open(os.path.join(folder, "compile_commands.json"), "w") as database:
        json.dump(result, database, indent=1)


main()
