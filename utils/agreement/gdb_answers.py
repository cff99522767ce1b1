"""gdb's answers to the questions of gdb_judge.py. Runs in gdb's own Python:

    QUESTIONS=FILE ANSWERS=FILE gdb -batch -nx -x gdb_answers.py BINARY

Reads one question on each line, a JSON object, and writes one line of JSON for each:

    {"name": N}            addresses of a breakpoint's locations
    {"address": A}         names of the functions there, inlined ones first
    {"run": [ARGUMENT...], "folder": F, "input": F, "path": [[PC, SP]...],
     "function": N, "does": COMMAND}
                           frames of a process that followed PATH and then, if given,
                           ran COMMAND in function N; null if it did not get there

Addresses are file addresses. Frames for tail calls and the callers of `main` are left
out.
"""

import json
import os
import shlex
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lldb_questions import plain_name

# The maximum number of similar places that are passed before the right one.
MAX_TRIES = 10


def execute(command):
    return gdb.execute(command, to_string=True)


def locations(name):
    breakpoint = gdb.Breakpoint(function=name)
    found = [] if breakpoint.pending else [l.address for l in breakpoint.locations]
    breakpoint.delete()
    return found


def functions_at(address):
    names = []
    block = gdb.block_for_pc(address)
    while block and not block.is_static:
        if block.function:
            names.append(block.function.print_name)
        block = block.superblock
    return names


def main_address():
    execute("set language c")
    address = int(gdb.parse_and_eval("(long)&main"))
    execute("set language auto")
    return address


class Process:
    def __init__(self, question, main):
        execute("delete breakpoints")
        execute("set cwd " + question["folder"])
        execute("set args %s < %s > /dev/null 2>&1" % (
            shlex.join(question["run"]), shlex.quote(question["input"])))
        execute("starti")
        self.base = main_address() - main
        self.shift = 0

    def place(self):
        frame = gdb.newest_frame()
        return [frame.pc() - self.base, int(frame.read_register("rsp")) - self.shift]

    def go(self, path):
        """Goes to the places of PATH. The whole stack may be at another address than in
        LLDB's process."""
        for number, (pc, sp) in enumerate(path):
            if number and self.place() == [pc, sp]:
                continue
            breakpoint = gdb.Breakpoint("*%d" % (self.base + pc), temporary=True)
            if number:
                breakpoint.condition = "$rsp == %d" % (sp + self.shift)
            execute("continue")
            if not number:
                self.shift = self.place()[1] - sp
            if self.place() != [pc, sp]:
                return False
        return True

    def enter(self, function):
        """Enters FUNCTION. At the beginning of inlined calls, gdb is in the outermost
        one, and steps into the next one without running the process."""
        place = self.place()
        for _ in range(MAX_TRIES):
            if plain_name(gdb.newest_frame().name()) == function:
                return True
            execute("step")
            if self.place() != place:
                return False
        return False

    def frames(self):
        found = []
        frame = gdb.newest_frame()
        while frame:
            if frame.type() != gdb.TAILCALL_FRAME:
                shared = gdb.solib_name(frame.pc())
                found.append([None if shared else frame.name(),
                              frame.type() == gdb.INLINE_FRAME])
            frame = frame.older()
        return found


def run(question, main):
    process = Process(question, main)
    if not process.go(question["path"]):
        return None
    if question.get("does"):
        if not process.enter(question["function"]):
            return None
        execute(question["does"])
    return {"place": process.place(), "frames": process.frames()}


def answer(question, main):
    try:
        if "name" in question:
            return locations(question["name"])
        if "address" in question:
            return functions_at(question["address"])
        return run(question, main)
    except gdb.error as error:
        print("%s: %s" % (question, error), file=sys.stderr)
        return None


def ask_all():
    for setting in ("confirm off", "pagination off", "breakpoint pending off",
                    "debuginfod enabled off", "disable-randomization on",
                    "exec-wrapper env -i LC_ALL=C PATH=/usr/bin:/bin"):
        execute("set " + setting)
    main = main_address()
    with open(os.environ["QUESTIONS"]) as questions, open(os.environ["ANSWERS"], "w") as out:
        # The running process has the program at other addresses.
        for question in map(json.loads, questions):
            print(json.dumps(answer(question, main)), file=out, flush=True)


ask_all()
