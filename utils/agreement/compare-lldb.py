#!/usr/bin/env python3
"""Compares LLDB's answers with DWARF and with an archive.

    compare-lldb.py [options] CORPUS.json

For each program of the corpus (build-corpus.sh makes one), two LLDBs get the same
questions: one has the program with its DWARF, the other a stripped copy and an archive.
The questions are

  - breakpoints by name, by lines with code and by lines without,
  - `step`, `next`, `finish` and `thread until` in a run, and backtraces,
  - `image lookup` by address, function, symbol and regular expression,
  - `disassemble -m`.

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

CLASSES = {**lldb_questions.STATIC, **lldb_questions.STEPS, "backtrace": "backtrace"}
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
    parser.add_argument("--classes", default=",".join(CLASSES), help="(default: all)")
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
    return parser.parse_args()


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
        self.archive = os.path.join(self.folder, "program.lidia")

    def tool(self, name):
        return os.path.join(self.arguments.build, name)

    def copy(self, side):
        """The program of one SIDE. All sides have the same name, which LLDB prints:
        with its DWARF, for the archive, or plain, without any debug information."""
        return os.path.join(self.folder, side, os.path.basename(self.binary))

    def prepare(self):
        if self.arguments.reuse and os.path.exists(self.archive):
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        for side in ("dwarf", "lidia", "plain"):
            os.makedirs(os.path.dirname(self.copy(side)))
            shutil.copy(self.binary, self.copy(side))
            if side == "plain" or side == "lidia" and not self.arguments.beside:
                subprocess.run(["strip", self.copy(side)], check=True)
        command = [self.tool("bin/llvm-lidia")] + self.arguments.archive_options.split()
        if self.debug:
            command += ["--debug-file", self.debug]
        subprocess.run(command + ["-o", self.archive, self.binary], check=True,
                       stdout=subprocess.DEVNULL)

    def ask(self, host, side, questions, label):
        """The answers of the LLDB in folder HOST with the symbols of SIDE."""
        base = os.path.join(self.folder, "%s.%s" % (label, side))
        text = "".join(json.dumps(q) + "\n" for q in questions)
        command = [self.tool("bin/lidia-lldb-answers"), base + ".answers", self.copy(side)]
        if side == "lidia":
            command += ["-c", 'plugin load "%s"' % self.tool("lib/liblldbPluginLidia.so"),
                        "-c", '%s "%s"' % (self.arguments.add, self.archive)]
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
        if "run" in self.entry and self.arguments.classes & {*lldb_questions.STEPS, "backtrace"}:
            stops = [{"address": a} for a in choice.candidates()]
            reached = self.ask(None, "plain", [self.run_question(stops)], "reached")[0]
            self.stops = choice.stops([s["address"] for s in reached], self.share["stops"])

    def compare(self, name, host):
        """Yields (class, question, difference, answers) for all questions to one host."""
        questions = [q for some in self.questions.values() for q in some]
        if self.stops:
            questions.append(self.run_question(self.stops))
        theirs, ours = (iter(self.ask(host, side, questions, name)) for side in ("dwarf", "lidia"))
        for kind, some in self.questions.items():
            for question in some:
                d, a = next(theirs), next(ours)
                yield kind, question, lldb_differences.STATIC[kind](d, a), (d, a)
        if self.stops:
            yield from lldb_differences.compare_runs(self.stops, next(theirs), next(ours))

    def measure(self):
        self.prepare()
        self.choose()
        results = []
        for host, folder in hosts(self.arguments).items():
            for kind, question, difference, answers in self.compare(host, folder):
                cause = difference and lldb_causes.cause(self, kind, question, difference, answers)
                results.append(Result(self, host, kind, question, difference, cause, answers, None))
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


def print_table(results, has):
    """Prints the share of results for which HAS is true. Returns the smallest share."""
    totals = collections.Counter()
    equal = collections.Counter()
    for r in results:
        key = r.kind, r.program.entry["language"], r.host
        totals[key] += 1
        equal[key] += has(r)
    columns = sorted({key[1:] for key in totals})
    print("| | " + " | ".join("%s, %s" % c for c in columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    worst = 100.0
    for kind in [k for k in [*CLASSES, "lost"] if any(totals[(k, *c)] for c in columns)]:
        cells = []
        for column in columns:
            total = totals[(kind, *column)]
            share = 100 * equal[(kind, *column)] / total if total else 100.0
            cells.append("%.1f %% of %d" % (share, total) if total else "")
            if kind != "lost":
                worst = min(worst, share)
        print("| %s | %s |" % (CLASSES.get(kind, kind), " | ".join(cells)))
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
    elif isinstance(answer, list):
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
    worst = print_table(results, lambda r: not r.difference)
    if places := [r for r in results if r.kind in lldb_differences.PLACES]:
        print("\nEach place that DWARF finds:")
        print_table(places, finds_all)
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
