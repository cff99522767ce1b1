#!/usr/bin/env python3
"""Compares a session in LLDB with DWARF with the same session with an archive.

The commands are the lines of FILE that begin with "# SESSION: ". They are run
twice: for FOLDER/dwarf/PROGRAM, and for FOLDER/stripped/PROGRAM after
FOLDER/*.lidia were added. "FOLDER" in a command is the program's folder.

What is known to differ (docs/LLDB.md lists it) is taken out of both
transcripts. If they are equal then, prints the one with the archive, for
FileCheck; otherwise prints the difference and fails.
"""

import argparse
import difflib
import glob
import os
import re
import shlex
import subprocess
import sys

# In the order in which they are applied. What the first ones name is not in an
# archive; the last ones differ from run to run.
NORMALISED = [
    # Types and variables, where functions are declared, the language.
    (re.compile(r"^ *(Variable|FuncType): .*\n", re.M), ""),
    # Symbols: those of a stripped module are gone, and of data no archive has any.
    (re.compile(r"^ *Symbol: .*\n", re.M), ""),
    (re.compile(r" +; [A-Za-z_][A-Za-z_0-9]*$", re.M), ""),
    (re.compile(r", (decl = \S+|language = \"[^\"]*\"|mangled = \"[^\"]*\")"), ""),
    # Arguments of functions: "outer(X=1) at", "outer(X=1) + 4 at".
    (re.compile(r"(`[^\n]*?)\([^\n()]*=[^\n]*\)( \+ \d+)?( at )"), r"\1\2\3"),
    (re.compile(r"\(\) at "), " at "),
    # Numbers that the debugger gives to what it read.
    (re.compile(r"id = \{0x[0-9a-f]+\}"), "id = {}"),
    # How a function ends is said with the type of its value.
    (re.compile(r"^Return value: .*\n(\n)?", re.M), ""),
    # Of other modules no archive speaks.
    (re.compile(r"^.*(libc\.so\.6|ld-linux-x86-64\.so\.2)`.*\n", re.M), ""),
    (re.compile(r"\b(Process|process|pid =|tid =) \d+"), r"\1 N"),
]


def run(lldb, program, commands):
    arguments = shlex.split(lldb) + [program]
    for command in commands:
        arguments += ["-o", command.replace("FOLDER", os.path.dirname(program))]
    session = subprocess.run(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return session.stdout


def normalised(transcript, folder, first):
    # What comes before the first command is how the symbols got there.
    start = transcript.find("(lldb) " + first)
    if start < 0:
        sys.exit("the session ended early:\n" + transcript)
    transcript = transcript[start:]
    transcript = re.sub(re.escape(folder) + "/(dwarf|stripped)", "FOLDER", transcript)
    for pattern, replacement in NORMALISED:
        transcript = pattern.sub(replacement, transcript)
    return transcript


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwarf", required=True, help="LLDB's command line")
    parser.add_argument("--archive", required=True, help="the same with the plugin")
    parser.add_argument("folder", help="what make-program.sh filled")
    parser.add_argument("program")
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        commands = [
            line[len("# SESSION: ") :].strip()
            for line in file
            if line.startswith("# SESSION: ")
        ]
    add = [
        "target symbols add " + archive
        for archive in sorted(glob.glob(os.path.join(options.folder, "*.lidia")))
    ]
    transcripts = []
    for lldb, kind, before in (
        (options.dwarf, "dwarf", []),
        (options.archive, "stripped", add),
    ):
        program = os.path.join(options.folder, kind, options.program)
        output = run(lldb, program, before + commands)
        first = commands[0].replace("FOLDER", os.path.dirname(program))
        transcripts.append(normalised(output, options.folder, first))
    difference = list(
        difflib.unified_diff(
            *[t.splitlines(keepends=True) for t in transcripts], "DWARF", "archive"
        )
    )
    sys.stdout.writelines(difference or [transcripts[1]])
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
