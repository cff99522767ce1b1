#!/usr/bin/env python3
"""Runs the examples of a Markdown file and compares their output.

    run-examples.py FILE FOLDER [--with PROGRAM[=PATH]]... [--replace OLD=NEW]...
    run-examples.py FILE --extract LANGUAGE

An example is a fenced or indented block with lines that begin with "$ ". Each of these
is a command for sh. The lines after it, up to the next one, are its output on standard
output and standard error. A line "..." matches any number of lines, and "..." within a
line any text; everything else is compared character by character. Commands run in
sequence in FOLDER, which is created anew with links to the folders test/ and utils/ of
the source tree, as in a clone.

A block below a comment "<!-- not run: REASON -->" is left out. So are commands of
debuggers (gdb, lldb...), unless --with names their program; PATH then runs in its
place. Lines "(lldb) COMMAND" after a command are typed into that LLDB.

A line "<!-- run: COMMAND -->" is a command, too, which readers do not see.

A block below a comment "<!-- needs: PROGRAM... -->" is run only if --with names all of
these programs.

With --extract, prints the fenced blocks of a language, for a test that compiles them.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import textwrap

DEBUGGER = re.compile(r"(\S*/)?(gdb|lldb)\S*$")


class Block:
    def __init__(self, line, language, text, mark):
        self.line = line
        self.language = language
        self.text = text
        self.mark = mark

    def is_run_with(self, programs):
        """Whether the comment above the block, if there is one, allows it to run."""
        needed = re.match(r"<!-- needs: (.*) -->", self.mark)
        if needed:
            return all(name in programs for name in needed.group(1).split())
        return not self.mark.startswith("<!-- not run: ")


def blocks(path):
    """The fenced and indented blocks of a Markdown file."""
    lines = open(path, encoding="utf-8").read().split("\n")
    mark = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        fence = re.match(r"( *)```(\S*)$", line)
        hidden = re.match(r"<!-- run: (.*) -->$", line)
        if hidden:
            yield Block(index + 1, "", "$ " + hidden.group(1) + "\n", "")
            index += 1
            continue
        start = index + 1
        body = []
        if fence:
            index += 1
            while lines[index].strip() != "```":
                body.append(lines[index])
                index += 1
            index += 1
        elif line.startswith("    ") and (index == 0 or not lines[index - 1].strip()):
            while index < len(lines) and (
                lines[index].startswith("    ") or not lines[index].strip()
            ):
                body.append(lines[index])
                index += 1
        else:
            if line.strip():
                mark = line
            index += 1
            continue
        text = textwrap.dedent("\n".join(body)).rstrip() + "\n"
        yield Block(start, fence.group(2) if fence else "", text, mark)
        mark = ""


def examples(block):
    """(command, expected output) for each "$ " line."""
    command = None
    expected = []
    lines = iter(block.text.split("\n")[:-1])
    for line in lines:
        if not line.startswith("$ "):
            expected.append(line)
            continue
        if command is not None:
            yield command, expected
        command = line[2:]
        while command.endswith("\\"):
            command = command[:-1] + next(lines).lstrip()
        expected = []
    if command is not None:
        yield command, expected


def matches(expected, actual):
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r" *\n"
    return re.fullmatch(pattern, actual)


def strip_blank(lines):
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines


class Runner:
    def __init__(self, folder, programs, replace):
        self.folder = folder
        self.programs = programs
        self.replace = replace
        self.ran = 0
        self.failed = 0

    def shell(self, command):
        env = dict(os.environ, HOME=os.path.join(self.folder, "home"))
        # Some answers show the cache's default location.
        for name in ("LIDIA_CACHE_DIR", "XDG_CACHE_HOME", "DEBUGINFOD_URLS"):
            env.pop(name, None)
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def session(self, command, expected):
        """LLDB's output for the commands that are typed into it."""
        script = os.path.join(self.folder, "session")
        with open(script, "w") as out:
            for line in expected:
                if line.startswith("(lldb) "):
                    typed = line[len("(lldb) "):]
                    for old, new in self.replace:
                        typed = typed.replace(old, '"%s"' % new)
                    out.write(typed + "\n")
            out.write("quit\n")
        result = self.shell(
            command
            + " --no-lldbinit -O 'settings set auto-confirm true'"
            + " -O 'settings set symbols.enable-external-lookup false' -s session"
        )
        result.stdout = re.sub(
            r"(?s)^.*?Executing commands in '[^']*'\.\n", "", result.stdout
        )
        result.stdout = re.sub(r"(?s)\(lldb\) quit\n.*$", "", result.stdout)
        for old, new in self.replace:
            result.stdout = result.stdout.replace('"%s"' % new, old).replace(new, old)
        return result

    def run(self, where, command, expected):
        program = command.split()[0]
        if DEBUGGER.match(program):
            if program not in self.programs:
                return
            command = command.replace(program, self.programs[program], 1)
        self.ran += 1
        if any(line.startswith("(lldb) ") for line in expected):
            result = self.session(command, expected)
        else:
            result = self.shell(command)
        # gdb 16 prints this for every file that it did not index itself.
        result.stdout = result.stdout.replace(
            "warning: .debug_names not created by gdb; ignoring\n", "")
        actual = strip_blank(result.stdout.split("\n"))
        actual = "".join(line.rstrip() + "\n" for line in actual)
        if result.returncode == 0 and matches(strip_blank(expected), actual):
            return
        self.failed += 1
        print(f"{where}: $ {command}")
        if result.returncode:
            print(f"exit status {result.returncode}")
        print("expected:\n" + "\n".join(expected) + "\nprinted:\n" + actual)


def prepare(folder):
    source = os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 3))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "home"))
    for name in ("test", "utils"):
        os.symlink(os.path.join(source, name), os.path.join(folder, name))


def pair(text):
    left, _, right = text.partition("=")
    return left, right or left


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--with", dest="programs", action="append", default=[], type=pair)
    parser.add_argument("--replace", action="append", default=[], type=pair)
    parser.add_argument("--extract")
    args = parser.parse_args()
    if args.extract:
        for block in blocks(args.file):
            if block.language == args.extract:
                sys.stdout.write(block.text)
        return 0
    folder = os.path.abspath(args.folder)
    prepare(folder)
    runner = Runner(folder, dict(args.programs), args.replace)
    for block in blocks(args.file):
        if block.is_run_with(runner.programs):
            for command, expected in examples(block):
                runner.run(f"{args.file}:{block.line}", command, expected)
    print(f"{runner.ran} commands, {runner.failed} failed")
    return runner.failed != 0


sys.exit(main())
