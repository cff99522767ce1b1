#!/usr/bin/env python3
"""Groups the sources of each library, so that clang-tidy reads their headers once.

Reads the compilation database of a build folder, and writes one for clang-tidy. Its
files include the sources of a folder in groups, as in a unity build.
"""

import argparse
import json
import os
import re
import shlex

# The headers of a group take as long as eight of its sources. Larger groups would leave
# one processor idle at the end.
GROUP_SIZE = 32
# Files that define the names of others, or macros of those names.
APART = (
    "lib/UnwindInfo/ArmUnwindCodes.cpp",
    "lib/UnwindInfo/CompactEncodings.cpp",
    "lib/UnwindInfo/FrameSearch.cpp",
    "lib/UnwindInfo/X64Epilogs.cpp",
    "lib/UnwindInfo/X64UnwindCodes.cpp",
    "lldb-plugin/Host.cpp",
    "llvm-lidia/ProcessSetup.cpp",
)


def arguments_without_file(entry):
    """The arguments of the compiler, without the source, the output and the headers that
    GCC has precompiled, which clang cannot read. So clang finds missing includes."""
    arguments = entry.get("arguments") or shlex.split(entry["command"])
    arguments = [a for a in arguments if a not in (entry["file"], "-Winvalid-pch")]
    for option in ("-o", "-include"):
        if option in arguments:
            at = arguments.index(option)
            del arguments[at : at + 2]
    # Options for GCC's warnings.
    return [*arguments, "-Wno-unknown-warning-option"]


def sources_of(entry):
    """The sources that a command compiles: those that a group of a unity build includes,
    or the one."""
    if not os.path.basename(entry["file"]).startswith("unity_"):
        return [entry["file"]]
    with open(entry["file"]) as group:
        return re.findall(r'^#include "(.*)"$', group.read(), re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", help="the build folder")
    parser.add_argument("folder", help="where the groups and their database are written")
    arguments = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.abspath(arguments.folder)
    with open(os.path.join(arguments.build, "compile_commands.json")) as database:
        entries = json.load(database)

    # Several programs compile some files, which are checked once.
    entry_of = {file: entry for entry in entries for file in sources_of(entry)}
    groups = {}
    for file, entry in sorted(entry_of.items()):
        path = os.path.relpath(file, root)
        if not path.startswith(("lib/", "llvm-lidia/", "lldb-plugin/")):
            continue
        arguments = arguments_without_file(entry)
        key = (os.path.dirname(path), entry["directory"], tuple(arguments))
        if path.startswith(APART):
            key += (path,)
        groups.setdefault(key, []).append(file)

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
