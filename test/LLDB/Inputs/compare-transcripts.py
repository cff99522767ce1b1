#!/usr/bin/env python3
"""Compares an LLDB session with DWARF and the same session with an archive.

The commands are the lines of FILE that begin with "# SESSION: ". They are run twice:
for FOLDER/dwarf/PROGRAM, and for FOLDER/stripped/PROGRAM with archives, each added at a
line "ADD NAME", or FOLDER/PROGRAM.lidia at the start. "FOLDER" in a command is the
program's folder. With --attach, the program is started first, and LLDB attaches to it
after it has printed its first line. With --beside=KIND, the program is
FOLDER/KIND/PROGRAM both times, and information that only DWARF has is compared, too; a
command that fails does not end the session. With --variables, the archive has variables,
so arguments and values are compared.

Known differences (docs/LLDB.md lists them) are removed from both transcripts. If they
are equal then, prints the one with the archive, for FileCheck; otherwise prints the
difference and fails.
"""

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile

# Information that is in no archive.
NEVER_IN_ARCHIVES = [
    # Declarations of functions, the language.
    (re.compile(r", (decl = \S+|language = \"[^\"]*\"|mangled = \"[^\"]*\")"), ""),
]

# Information that is not in an archive without variables. In the order in which the
# patterns are applied.
ONLY_IN_DWARF = NEVER_IN_ARCHIVES + [
    # Types and variables.
    (re.compile(r"^ *(Variable|FuncType): .*\n", re.M), ""),
    # Archives have no symbols for data.
    (re.compile(r" +; [A-Za-z_][A-Za-z_0-9]*$", re.M), ""),
    # Arguments of functions: "outer(X=1) at", "outer(X=1) + 4 at".
    (re.compile(r"(`[^\n]*?)\([^\n()]*=[^\n]*\)( \+ \d+)?( at )"), r"\1\2\3"),
    (re.compile(r"\(\) at "), " at "),
    # The return value is printed with its type.
    (re.compile(r"^Return value: .*\n(\n)?", re.M), ""),
]

# Addresses on the stack depend on the length of the program's path.
STACK = [(re.compile(r"0x0*7ff[0-9a-f]{9}\b"), "0x...STACK")]

# Text that differs from run to run.
NORMALISED = [
    # Numbers that the debugger assigns.
    (re.compile(r"id = \{0x[0-9a-f]+\}"), "id = {}"),
    # The commands that add symbols.
    (re.compile(r"^\(lldb\) target symbols add .*\nsymbol file .* added .*\n", re.M), ""),
    # Other modules have no archive.
    (re.compile(r"^.*(libc\.so\.6|ld-linux-x86-64\.so\.2)`.*\n", re.M), ""),
    (re.compile(r"\b(Process|process|pid =|tid =) \d+"), r"\1 N"),
    # LLDB 22 marks the frame of an inlined call except in a block of the source, which an
    # archive without variables does not have.
    (re.compile(r" \[inlined\]$", re.M), ""),
    # Addresses from the kernel, except for the offset in the page.
    (re.compile(r"0x0*[5-7][0-9a-f]{8}([0-9a-f]{3})\b"), r"0x...\1"),
]


def run(lldb, begin, commands, to_the_end):
    arguments = shlex.split(lldb) + begin
    if to_the_end:
        with tempfile.NamedTemporaryFile("w", delete=False) as script:
            script.write("\n".join(commands) + "\n")
        commands = ["command source --stop-on-error false " + script.name]
    for command in commands:
        arguments += ["-o", command]
    session = subprocess.run(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if to_the_end:
        os.unlink(script.name)
    return session.stdout


def attach(lldb, program, commands):
    with subprocess.Popen([program], stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            return run(lldb, ["--attach-pid", str(process.pid)], commands, False)
        finally:
            process.kill()


def normalised(transcript, folder, first, patterns):
    # The part before the first command shows only how the symbols were added.
    start = transcript.find("(lldb) " + first)
    if start < 0:
        sys.exit("the session ended early:\n" + transcript)
    transcript = transcript[start:]
    transcript = re.sub(re.escape(folder) + "/(dwarf|stripped)", "FOLDER", transcript)
    for pattern, replacement in patterns:
        transcript = pattern.sub(replacement, transcript)
    return transcript


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwarf", required=True, help="LLDB's command line")
    parser.add_argument("--archive", required=True, help="the same with the plugin")
    parser.add_argument("--attach", action="store_true")
    parser.add_argument("--beside", metavar="KIND")
    parser.add_argument("--variables", action="store_true")
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
    if not any(command.startswith("ADD ") for command in commands):
        commands.insert(0, "ADD " + options.program + ".lidia")
    transcripts = []
    patterns = NORMALISED
    if options.variables:
        patterns = NEVER_IN_ARCHIVES + STACK + NORMALISED
    elif not options.beside:
        patterns = ONLY_IN_DWARF + NORMALISED
    for lldb, kind in ((options.dwarf, "dwarf"), (options.archive, "stripped")):
        program = os.path.join(options.folder, options.beside or kind, options.program)
        session = []
        for command in commands:
            if not command.startswith("ADD "):
                folder = shlex.quote(os.path.dirname(program))
                session.append(command.replace("FOLDER", folder))
            elif kind == "stripped":
                archive = os.path.join(options.folder, command[len("ADD ") :])
                session.append("target symbols add " + shlex.quote(archive))
        if options.attach:
            output = attach(lldb, program, session)
        else:
            output = run(lldb, [program], session, options.beside)
        transcripts.append(normalised(output, options.folder, session[0], patterns))
    difference = list(
        difflib.unified_diff(
            *[t.splitlines(keepends=True) for t in transcripts], "DWARF", "archive"
        )
    )
    sys.stdout.writelines(difference or [transcripts[1]])
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
