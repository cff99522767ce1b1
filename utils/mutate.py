#!/usr/bin/env python3
"""Changes lines of sources, one at a time, and tells which changes no test notices.

    utils/mutate.py [OPTION...] SOURCE... -- COMMAND...

Each mutant is built by ninja, and COMMAND is run, a line for the shell; a mutant survives
if COMMAND succeeds. The sources are restored at the end, also after an interrupt. Mutants
that do not compile are not counted. Prints a row for each source and the survivors:

    utils/mutate.py --build build --targets LidiaArchiveTests --count 40 \\
        lib/Archive/UnwindTable.cpp -- build/test/Unit/LidiaArchiveTests

A survivor is either a line that no test checks or a change without a difference, such as
another bound of a loop that ends earlier anyway.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys

# Pairs of operators, each of which replaces the other.
SWAPPED = [("<=", "<"), (">=", ">"), ("==", "!="), ("&&", "||"), (" + ", " - "),
           ("+= ", "-= "), ("std::min", "std::max"), ("return true;", "return false;"),
           (" << ", " >> "), (" & ", " | ")]
STATEMENT = re.compile(r"^\s+(?!return|using|const |static |auto |break|case|default|goto)"
                       r"[A-Za-z_*(][\w:.\[\]()*<>-]*( [-+|&]?= .*|\(.*\)|\+\+|--);$")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="the folder of the build")
    parser.add_argument("--targets", nargs="+", default=[], help="what to build")
    parser.add_argument("--count", type=int, default=20, help="mutants of each source")
    parser.add_argument("--seed", type=int, default=1, help="chooses the mutants")
    parser.add_argument("--timeout", type=float, default=120,
                        help="seconds after which COMMAND counts as failed")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.command = " ".join(sys.argv[split + 1:])
    if not arguments.command:
        parser.error("a command is missing after --")
    return arguments


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("//", "#", "}", "namespace", "using", "template",
                                               "static_assert", "assert", "class ", "struct "))


def mutants_of_line(line):
    """The changed forms of a line. Comments at its end and texts in quotes stay."""
    if not is_code(line):
        return []
    code = re.split(r'//|"', line)[0]
    rest = line[len(code):]
    found = []
    for pair in SWAPPED:
        for old, new in (pair, pair[::-1]):
            for match in re.finditer(re.escape(old), code):
                before, after = code[:match.start()], code[match.end():]
                # Neither a part of a longer operator nor a bracket of a template.
                if old in "<>" and not (before.endswith(" ") and after.startswith(" ")):
                    continue
                if old == " & " and re.search(r"(auto|const \w+|[A-Z]\w*)$", before):
                    continue
                found.append(before + new + after + rest)
    for match in re.finditer(r"(?<![\w.])([0-9]+)(?![\w.])", code):
        changed = str(int(match.group(1)) + 1)
        found.append(code[:match.start()] + changed + code[match.end():] + rest)
    match = re.match(r"^(\s*(?:\} else )?if \()(?!.*=[^=].*;)(.*)(\)(?: \{)?)$", code.rstrip())
    if match and not rest and match.group(2).count("(") == match.group(2).count(")"):
        found.append(match.group(1) + "!(" + match.group(2) + ")" + match.group(3))
    if not rest and STATEMENT.match(code):
        found.append(code[:len(code) - len(code.lstrip())] + ";")
    return [text for text in found if text != line]


def choose(lines, count, seed):
    """(index, changed line) of up to count lines, one change each."""
    generator = random.Random(seed)
    possible = [(index, forms) for index, line in enumerate(lines)
                if (forms := mutants_of_line(line))]
    generator.shuffle(possible)
    return [(index, generator.choice(forms)) for index, forms in sorted(possible[:count])]


def run(command, timeout):
    """The exit status of a command and its children; none after a timeout."""
    with subprocess.Popen(command, shell=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


def try_mutants(path, arguments):
    """(killed, tried, survivors) of one source."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    killed = tried = 0
    survivors = []
    build = "ninja -C %s %s" % (arguments.build, " ".join(arguments.targets))
    try:
        for index, changed in choose(lines, arguments.count, arguments.seed):
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines[:index] + [changed] + lines[index + 1:]))
            if run(build, 900) != 0:
                continue
            tried += 1
            if run(arguments.command, arguments.timeout) == 0:
                survivors.append((index + 1, lines[index].strip(), changed.strip()))
            else:
                killed += 1
            print("%s:%d %d of %d caught" % (path, index + 1, killed, tried), file=sys.stderr)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return killed, tried, survivors


def main():
    arguments = parse_arguments()
    if run("ninja -C %s %s && %s" % (arguments.build, " ".join(arguments.targets),
                                     arguments.command), 3600) != 0:
        sys.exit("the unchanged sources do not build and pass")
    print("| source | mutants | caught |\n| --- | ---: | ---: |")
    all_survivors = []
    for path in arguments.sources:
        killed, tried, survivors = try_mutants(path, arguments)
        print("| `%s` | %d | %d (%.0f %%) |" % (path, tried, killed, 100 * killed / max(1, tried)),
              flush=True)
        all_survivors += [(path,) + survivor for survivor in survivors]
    for path, line, before, after in all_survivors:
        print("%s:%d\n  %s\n  %s" % (path, line, before, after))


main()
