#!/usr/bin/env python3
"""Compares where LLDB places breakpoints with DWARF and with an archive.

    compare-breakpoints.py BINARY ARCHIVE --debug-file DEBUG --plugin liblldbPluginLidia.so

Sets breakpoints on functions by name, on lines with code and on lines without, and
compares the addresses of all their locations. BINARY has no debug information of its
own; DEBUG has it, and ARCHIVE (with --lines --columns) was made of both. Functions and
lines are drawn at random (--seed) from the archive, lines without code from between
those that have some.

Prints the number of equal breakpoints of each class, and the first of those that
differ. Needs Python's lldb module, of the same LLDB: in Debian,
PYTHONPATH=$(lldb-19 -P) /usr/bin/python3 compare-breakpoints.py ...
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

CLASSES = ("functions by name", "lines with code", "lines without code")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("archive")
    parser.add_argument("--debug-file", required=True, help="the file with the DWARF")
    parser.add_argument("--plugin", required=True, help="liblldbPluginLidia.so")
    parser.add_argument("--llvm-lidia", default="llvm-lidia", help="the tool (default: on the PATH)")
    parser.add_argument("--count", type=int, default=1000, help="breakpoints of each class")
    parser.add_argument("--seed", type=int, default=1, help="of the choice")
    parser.add_argument("--show", type=int, default=10, help="differences to print of each class")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


def choose(arguments):
    """For each class the arguments of breakpoints: a name, or a file and a line."""
    dump = [arguments.llvm_lidia, "dump", "--statements", arguments.archive]
    text = subprocess.run(dump, stdout=subprocess.PIPE, text=True, check=True).stdout
    names = set()
    lines = set()
    for line in text.splitlines():
        if found := re.match(r" +\[\d+\] \S+ depth 0 ([^ @]+) in ", line):
            names.add(found[1])
        elif found := re.match(r" +0x\S+ (\S+?):(\d+)(?::\d+)? is_stmt", line):
            if int(found[2]):
                lines.add((os.path.basename(found[1]), int(found[2])))
    spans = {}
    for file, line in lines:
        low, high = spans.get(file, (line, line))
        spans[file] = (min(low, line), max(high, line))
    without = [(file, line) for file, (low, high) in sorted(spans.items())
               for line in range(max(1, low - 10), high + 10) if (file, line) not in lines]
    draw = random.Random(arguments.seed)
    return [draw.sample(sorted(everything), min(arguments.count, len(everything)))
            for everything in (names, lines, without)]


def work(arguments):
    """Prints the addresses of all breakpoints, with the symbols of one file."""
    import lldb
    choice = json.load(sys.stdin)
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)

    def run(command):
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, result)

    run("settings set symbols.enable-external-lookup false")
    run("settings set target.debug-file-search-paths /nonexistent")
    if arguments.worker == arguments.archive:
        run('plugin load "%s"' % arguments.plugin)
    target = debugger.CreateTarget(arguments.binary)
    run('target symbols add "%s"' % arguments.worker)
    answers = []
    for kind in choice:
        answers.append([])
        for where in kind:
            breakpoint = (target.BreakpointCreateByLocation(*where) if isinstance(where, list)
                          else target.BreakpointCreateByName(where))
            answers[-1].append(sorted(
                breakpoint.GetLocationAtIndex(i).GetAddress().GetFileAddress()
                for i in range(breakpoint.GetNumLocations())))
            target.BreakpointDelete(breakpoint.GetID())
    json.dump(answers, sys.stdout)


def ask(symbols, choice):
    with tempfile.TemporaryFile("w+") as questions:
        json.dump(choice, questions)
        questions.seek(0)
        command = [sys.executable] + sys.argv + ["--worker", symbols]
        result = subprocess.run(command, stdin=questions, stdout=subprocess.PIPE, text=True, check=True)
    # The plugin's messages may come first.
    return json.loads(result.stdout[result.stdout.index("[["):])


def main():
    arguments = parse_arguments()
    if arguments.worker:
        work(arguments)
        return 0
    choice = choose(arguments)
    theirs, ours = (ask(symbols, choice) for symbols in (arguments.debug_file, arguments.archive))
    if not any(map(any, theirs)):
        sys.exit("LLDB finds nothing with " + arguments.debug_file)
    for kind, places, dwarf, archive in zip(CLASSES, choice, theirs, ours):
        differ = [(p, d, a) for p, d, a in zip(places, dwarf, archive) if d != a]
        pending = sum(1 for d, a in zip(dwarf, archive) if d == a == [])
        equal = len(places) - len(differ)
        print("%s: %d of %d equal (%.1f %%), %d of them pending" %
              (kind, equal, len(places), 100 * equal / max(1, len(places)), pending))
        for place, d, a in differ[:arguments.show]:
            name = place if isinstance(place, str) else "%s:%d" % tuple(place)
            print("  %s: DWARF %s, archive %s" %
                  (name, " ".join(map(hex, d)) or "pending", " ".join(map(hex, a)) or "pending"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
