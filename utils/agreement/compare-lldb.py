#!/usr/bin/env python3
"""Compares LLDB's answers with DWARF and with an archive.

    compare-lldb.py [options] CORPUS.json

For each program of the corpus (build-corpus.sh makes one), two LLDBs get the same
questions: one has the program with its DWARF, the other a stripped copy and an archive.
The questions are

  - breakpoints by name, by lines with code and by lines without,
  - `step`, `next`, `finish` and `thread until` in a run, and backtraces,
  - `image lookup` by address, function, symbol and regular expression,
  - `disassemble -m`,
  - the types of functions and their names for display, global variables, variables at the
    stops, and calls in expressions.

With --side, also a copy with only its symbols, an archive with variables, and the program
with an index are compared with DWARF; the table then has a column for each host and side,
with the lowest share of a program in brackets.

Prints a table: for each class, language and host, the number of questions and the share
of equal answers. A second table has, for the classes that search for places, the share
of questions for which the archive returns each place that DWARF returns, and possibly
more. Then follow the kinds of differences, with examples. The exit status is 0 if LLDB
answered; with --require PERCENT, only if each class reaches that share.
"""

import argparse
import bisect
import collections
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import gdb_judge
import lldb_causes
import lldb_differences
import lldb_questions
from lldb_questions import without_parameters

CLASSES = {**lldb_questions.STATIC, **lldb_questions.STEPS, "backtrace": "backtrace",
           **lldb_questions.VALUES}
# The folder with the copy of the program for each side that is compared with DWARF.
SIDES = {"symbols": "symbols", "archive": "lidia", "variables": "lidia", "index": "index"}
# The questions about the whole program, and the classes that they answer.
WHOLE = {"functions": {"type", "display"}, "globals": {"global"}}
HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", "build")
EXPORTING = os.path.expanduser("~/.cache/lidia-lldb/19.1.7/lib")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="a list of programs, by build-corpus.sh")
    parser.add_argument("--build", default=BUILD, help="the build tree")
    parser.add_argument("--host", action="append", metavar="NAME[=FOLDER]",
                        help="an LLDB: a name for the table, and the folder of its liblldb "
                        "(default: the one that was linked, and the exporting one)")
    parser.add_argument("--only", default="", metavar="EXPRESSION",
                        help="programs whose names match; each is asked as in a run of all")
    parser.add_argument("--reuse", action="store_true",
                        help="keep the archives and answers that --work has to the same questions")
    parser.add_argument("--questions", type=int, default=1000,
                        help="of each class for each language")
    parser.add_argument("--stops", type=int, default=700, help="of runs, for each language")
    parser.add_argument("--classes", help="(default: all; for an archive without variables "
                        "all but those about types and values)")
    parser.add_argument("--side", action="append", choices=SIDES, dest="sides",
                        help="what is compared with DWARF (default: the archive)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice")
    parser.add_argument("--show", type=int, default=2, help="examples of each kind")
    parser.add_argument("--work", default="lldb-agreement", help="a folder for files")
    parser.add_argument("--archive-options", default="--crc --columns",
                        help="of llvm-lidia")
    parser.add_argument("--add", default="target symbols add",
                        help="the command that adds the archive")
    parser.add_argument("--beside", action="store_true",
                        help="add the archive to the program with its DWARF, not to a stripped copy")
    parser.add_argument("--judge", type=int, default=0, metavar="COUNT",
                        help="ask gdb, too, about so many differences of each class, host and "
                        "cause in each program, where LLDB with DWARF seems to be wrong")
    parser.add_argument("--require", type=float, metavar="PERCENT")
    parser.add_argument("--json", help="write all differences to this file")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.sides = arguments.sides or ["archive"]
    needs_variables = {*lldb_questions.VALUES} - {"display"}
    arguments.classes = arguments.classes or ",".join(
        c for c in CLASSES if arguments.sides != ["archive"] or c not in needs_variables)
    return arguments


def hosts(arguments):
    """The folder of each host's liblldb; None for the linked one."""
    if arguments.host:
        return {h.partition("=")[0]: h.partition("=")[2] or None for h in arguments.host}
    found = {"distribution": None}
    if os.path.isdir(EXPORTING):
        found["exporting"] = EXPORTING
    return found


Result = collections.namedtuple(
    "Result", "program host kind question difference cause answers verdict")


def earlier_answers(base, questions, count):
    """The COUNT answers of an earlier run, if it had the same questions."""
    try:
        with open(base + ".questions") as asked, open(base + ".answers") as answers:
            given = [json.loads(line) for line in answers]
            return given if asked.read() == questions and len(given) == count else None
    except (OSError, ValueError):
        return None


class Program:
    """One program of the corpus, its copies and its questions."""

    def __init__(self, arguments, entry, root, share):
        self.arguments = arguments
        self.entry = entry
        self.share = share
        self.name = entry["name"]
        self.folder = os.path.join(os.path.abspath(arguments.work), self.name)
        self.binary = os.path.join(root, entry["binary"])
        self.debug = os.path.join(root, entry["debug"]) if "debug" in entry else None
        self.working = os.path.join(root, entry.get("folder", "."))

    def tool(self, name):
        return os.path.join(self.arguments.build, name)

    def copy(self, side):
        """The program of one SIDE. All sides have the same name, which LLDB prints:
        with its DWARF, for the archive, with its symbols, with an index, or plain, without
        any debug information."""
        return os.path.join(self.folder, SIDES.get(side, side), os.path.basename(self.binary))

    def archive(self, side):
        return os.path.join(self.folder, side + ".lidia")

    def prepare(self):
        if self.arguments.reuse and os.path.exists(self.copy("plain")):
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        strip = {"plain": ["--strip-all"], "symbols": ["--strip-debug"]}
        if not self.arguments.beside:
            strip["archive"] = ["--strip-all"]
        for side in ("dwarf", "archive", "symbols", "plain"):
            os.makedirs(os.path.dirname(self.copy(side)))
            shutil.copy(self.binary, self.copy(side))
            if side in strip:
                subprocess.run(["strip", *strip[side], self.copy(side)], check=True)
        for side in self.arguments.sides:
            if side in ("archive", "variables"):
                self.make_archive(side)
            elif side == "index":
                self.make_index(self.copy(side))

    def make_index(self, copy):
        """Without an index, if none would help, LLDB reads the program as it is."""
        os.makedirs(os.path.dirname(copy))
        made = subprocess.run([self.tool("bin/llvm-lidia"), "index", "--quiet", self.binary,
                               "-o", copy], stderr=subprocess.PIPE, text=True)
        if made.returncode:
            print(made.stderr, end="", file=sys.stderr)
            shutil.copy(self.binary, copy)

    def lidia(self, *options):
        subprocess.run([self.tool("bin/llvm-lidia"), *options], check=True,
                       stdout=subprocess.DEVNULL)

    def make_archive(self, side):
        options = self.arguments.archive_options.split()
        if side == "variables":
            options.append("--variables")
        if self.debug:
            options += ["--debug-file", self.debug]
        self.lidia(*options, "-o", self.archive(side), self.binary)

    def ask(self, host, side, questions, label):
        """The answers of the LLDB in folder HOST with the symbols of SIDE."""
        base = os.path.join(self.folder, "%s.%s" % (label, side))
        text = "".join(json.dumps(q) + "\n" for q in questions)
        command = [self.tool("bin/lidia-lldb-answers"), base + ".answers", self.copy(side)]
        if side in ("archive", "variables"):
            command += ["-c", 'plugin load "%s"' % self.tool("lib/liblldbPluginLidia.so"),
                        "-c", '%s "%s"' % (self.arguments.add, self.archive(side))]
        elif side == "dwarf" and self.debug:
            command += ["-c", 'target symbols add "%s"' % self.debug]
        commands = (len(command) - 3) // 2
        if self.arguments.reuse and (
                given := earlier_answers(base, text, commands + len(questions))):
            return given[commands:]
        with open(base + ".questions", "w") as out:
            out.write(text)
        environment = dict(os.environ, LIDIA_CACHE_DIR=os.path.join(self.folder, "cache"))
        if host:
            environment["LD_LIBRARY_PATH"] = host
        with open(base + ".questions") as asked, open(base + ".log", "w") as log:
            result = subprocess.run(command, stdin=asked, stdout=log, stderr=log, env=environment)
        with open(base + ".answers") as answers:
            given = [json.loads(line) for line in answers]
        if result.returncode or len(given) != len(questions) + commands:
            raise RuntimeError("%s: LLDB gave %d of %d answers (status %d): see %s.log" % (
                self.name, len(given) - commands, len(questions), result.returncode, base))
        return given[commands:]

    def is_cold(self, address):
        """Whether ADDRESS is in a part of a function that the compiler split off."""
        place = bisect.bisect_right(self.symbols, (address, "\uffff")) - 1
        return place >= 0 and "cold" in self.symbols[place][1]

    def is_claimed_twice(self, address):
        """Whether several compile units of the DWARF have a row at ADDRESS."""
        return len(self.units.get(address, ())) > 1

    def symbols_at(self, address):
        first = bisect.bisect_left(self.symbols, (address, ""))
        return [name for _, name in itertools.takewhile(
            lambda symbol: symbol[0] == address, self.symbols[first:])]

    def is_only_symbol(self, address):
        """Whether DWARF does not describe the function that begins at ADDRESS: it comes
        from a library, or the compiler replaced it with another one with the same code."""
        if symbols := self.symbols_at(address):
            return not any(start == address or self.is_cold(start) for name in symbols
                           for start in self.begins[without_parameters(name)])
        return not any(start <= address < end for start, end, _ in self.outermost)

    def inlined_around(self, address):
        """The names of the functions inlined into those around ADDRESS."""
        return {name for name, _, start, end, inlined in self.functions
                if inlined and start <= address < end}

    def run_question(self, stops):
        return {"run": self.entry["run"], "folder": self.working, "stops": stops,
                "input": self.entry.get("input", "/dev/null")}

    def choose(self):
        """The questions, chosen from what the first host knows with DWARF."""
        inventory = lldb_questions.Inventory(
            self.ask(None, "dwarf", [{"inventory": True}], "inventory")[0])
        self.symbols = inventory.symbols
        self.functions = inventory.functions
        self.outermost = inventory.outermost
        self.begins = collections.defaultdict(list)
        for start, _, name in inventory.outermost:
            self.begins[without_parameters(name)].append(start)
        self.units = inventory.units
        choice = lldb_questions.Choice(inventory, self.share["questions"], self.arguments.seed)
        self.questions = {kind: questions for kind, questions in choice.questions().items()
                          if kind in self.arguments.classes}
        if addresses := self.questions.get("address"):
            answers = self.ask(None, "dwarf", addresses, "addresses")
            self.questions["address"] = [
                question for question, answer in zip(addresses, answers)
                if answer["chain"][-1][0]][:self.share["questions"]]
        self.stops = []
        self.calls = []
        if "run" in self.entry and self.arguments.classes & {
                *lldb_questions.STEPS, "backtrace", "variable", "call"}:
            stops = [{"address": a} for a in choice.candidates()]
            reached = self.ask(None, "plain", [self.run_question(stops)], "reached")[0]
            self.stops = choice.stops([s["address"] for s in reached], self.share["stops"])
            if "call" in self.arguments.classes and reached:
                functions = self.ask(None, "dwarf", [{"functions": True}], "functions")[0]
                self.calls = [{"address": reached[0]["address"],
                               "expressions": choice.calls(functions)}]

    def everything(self):
        """The questions to one LLDB: those of the classes, those about the whole program, and
        the runs."""
        whole = [{name: True} for name, kinds in WHOLE.items() if kinds & self.arguments.classes]
        runs = [self.run_question(stops) for stops in (self.stops, self.calls) if stops]
        return [*(q for some in self.questions.values() for q in some), *whole, *runs]

    def compare(self, theirs, ours):
        """Yields (class, question, difference, answers) for the answers with DWARF and those
        of another side."""
        answers = zip(theirs, ours)
        for kind, some in self.questions.items():
            for question in some:
                d, a = next(answers)
                yield kind, question, lldb_differences.STATIC[kind](d, a), (d, a)
        if WHOLE["functions"] & self.arguments.classes:
            yield from lldb_differences.compare_functions(*next(answers))
        if WHOLE["globals"] & self.arguments.classes:
            yield from lldb_differences.compare_values("global", {}, *next(answers))
        if self.stops:
            d, a = next(answers)
            yield from lldb_differences.compare_runs(self.stops, d, a)
            yield from lldb_differences.compare_stops(d, a)
        if self.calls:
            yield from lldb_differences.compare_stops(*next(answers))

    def measure(self):
        self.prepare()
        self.choose()
        results = []
        for host, folder in hosts(self.arguments).items():
            theirs = self.ask(folder, "dwarf", self.everything(), host)
            for side in self.arguments.sides:
                ours = self.ask(folder, side, self.everything(), host)
                label = host if len(self.arguments.sides) == 1 else "%s, %s" % (host, side)
                for kind, question, difference, answers in self.compare(theirs, ours):
                    cause = difference and lldb_causes.cause(
                        self, kind, question, difference, answers)
                    results.append(
                        Result(self, label, kind, question, difference, cause, answers, None))
        return gdb_judge.judge(self, results, self.arguments.judge)


def programs(arguments):
    with open(arguments.corpus) as corpus:
        entries = json.load(corpus)
    sizes = collections.Counter(e["language"] for e in entries)
    running = collections.Counter(e["language"] for e in entries if "run" in e)
    root = os.path.dirname(os.path.abspath(arguments.corpus))
    return [Program(arguments, e, root, {
        "questions": -(-arguments.questions // sizes[e["language"]]),
        "stops": -(-arguments.stops // max(1, running[e["language"]]))})
            for e in entries if re.search(arguments.only, e["name"])]


def finds_all(result):
    """Whether the archive returns each place that DWARF returns."""
    if not result.difference:
        return True
    dwarf, archive = (lldb_differences.places_found(result.kind, a) for a in result.answers)
    return dwarf <= archive


def share_of(results, has):
    return 100 * sum(map(has, results)) / len(results)


def print_table(results, has, by_language):
    """Prints the share of results for which HAS is true, for each host and language, or for
    each host with the lowest share of a program. Returns the smallest share."""
    cells = collections.defaultdict(list)
    for r in results:
        column = "%s, %s" % (r.program.entry["language"], r.host) if by_language else r.host
        cells[(r.kind, column)].append(r)
    columns = list(dict.fromkeys(column for _, column in cells))
    print("| | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    worst = 100.0
    for kind in [k for k in [*CLASSES, "lost"] if any((k, c) in cells for c in columns)]:
        row = []
        for some in (cells.get((kind, column)) for column in columns):
            share = share_of(some, has) if some else 100.0
            lowest = "" if by_language or not some else " (%.1f)" % min(
                share_of([r for r in some if r.program is p], has) for p in {r.program for r in some})
            row.append("%.1f %% of %d%s" % (share, len(some), lowest) if some else "")
            if kind != "lost":
                worst = min(worst, share)
        print("| %s | %s |" % (CLASSES.get(kind, kind), " | ".join(row)))
    return worst


def print_causes(results):
    counts = collections.Counter(
        (r.kind, r.program.entry["language"], r.host, r.cause) for r in results if r.difference)
    print("\nCauses:")
    for key, count in sorted(counts.items()):
        print("%6d  %s" % (count, ", ".join(key)))


def print_verdicts(results):
    counts = collections.Counter(
        (r.cause, r.kind, r.program.entry["language"], r.host, r.verdict)
        for r in results if r.verdict)
    if counts:
        print("\nOf these, gdb agrees with:")
    for (*key, verdict), count in sorted(counts.items()):
        print("%6d  %s: %s" % (count, ", ".join(key), verdict))


def print_differences(results, show):
    kinds = collections.defaultdict(list)
    for r in results:
        if r.difference:
            entry = r.program.entry
            kinds[(r.kind, entry["language"], entry["compiler"], r.host, r.cause, r.difference)].append(r)
    for key, some in sorted(kinds.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print("\n%s: %d" % (", ".join(key), len(some)))
        for r in some[:show]:
            print("  %s %s" % (r.program.name, json.dumps(r.question)[:300]))
            for side, answer in zip(("DWARF  ", "archive"), r.answers or ()):
                print("    %s %s" % (side, brief(answer)))


def brief(answer):
    if isinstance(answer, dict) and "frames" in answer:
        answer = [[hex(f[1]), *f[2:]] for f in answer["frames"][:4]]
    elif isinstance(answer, list) and answer and isinstance(answer[0], dict):
        answer = [[hex(l["address"]), l["chain"]] for l in answer]
    return json.dumps(answer)[:600]


def main():
    arguments = parse_arguments()
    arguments.classes = set(arguments.classes.split(","))
    results = []
    failed = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for future in [pool.submit(p.measure) for p in programs(arguments)]:
            try:
                results += future.result()
            except RuntimeError as error:
                failed.append(str(error))
    results = [r for r in results if r.kind in arguments.classes or r.kind == "lost"]
    by_language = len(arguments.sides) == 1
    worst = print_table(results, lambda r: not r.difference, by_language)
    if places := [r for r in results if r.kind in lldb_differences.PLACES]:
        print("\nEach place that DWARF finds:")
        print_table(places, finds_all, by_language)
    print_causes(results)
    print_verdicts(results)
    print_differences(results, arguments.show)
    if arguments.json:
        with open(arguments.json, "w") as out:
            for r in results:
                if r.difference:
                    out.write(json.dumps([r.program.name, *r[1:]]) + "\n")
    for message in failed:
        print("error: " + message, file=sys.stderr)
    return 1 if failed or arguments.require and worst < arguments.require else 0


if __name__ == "__main__":
    sys.exit(main())
