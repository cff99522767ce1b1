"""Lets gdb, which has its own DWARF reader, judge between LLDB with DWARF and LLDB with
an archive, where lldb_causes.py says that LLDB with DWARF is wrong."""

import bisect
import collections
import json
import os
import subprocess
import zlib

import lldb_causes
import lldb_differences
import lldb_questions
from lldb_questions import plain_name

CAUSES = (lldb_causes.COLD, lldb_causes.LOST_FRAME, lldb_causes.NAME, lldb_causes.TEMPLATE)
ANSWERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gdb_answers.py")
# Seconds for all questions about one program. Unanswered questions do not count.
TIME = 300


def judge(program, results, count):
    """RESULTS with verdicts for up to COUNT of each class, host and cause."""
    possible = collections.defaultdict(list)
    for number, result in enumerate(results):
        if result.cause in CAUSES and (question := question_to_gdb(program, result)):
            text = json.dumps(question)
            # The order must be the same for each host, and differ from that of the run.
            possible[(result.kind, result.host, result.cause)].append(
                (zlib.crc32(text.encode()), number, text))
    chosen = [one[1:] for some in possible.values() for one in sorted(some)[:count]]
    # Static questions come first, before a process changes the addresses.
    asked = sorted({text for _, text in chosen}, key=lambda text: ('"run"' in text, text))
    if not asked:
        return results
    answers = dict(zip(asked, ask(program, asked)))
    judged = list(results)
    for number, text in chosen:
        if answers.get(text) is not None:
            judged[number] = results[number]._replace(
                verdict=verdict(program, results[number], answers[text]))
    return judged


def question_to_gdb(program, result):
    dwarf, archive = result.answers
    if result.kind in ("name", "line", "gap"):
        if place := place_of_names(result):
            return {"address": place}
        return {"name": result.question["name"]} if result.kind == "name" else None
    if result.kind not in ("backtrace", "finish"):
        return None
    question = {**program.run_question([]), "path": result.question["path"]}
    del question["stops"]
    if result.kind == "backtrace":
        long = max(len(dwarf["frames"]), len(archive["frames"])) >= lldb_differences.MAX_FRAMES
        return None if long else question
    # gdb does not know the other stops, at which LLDB's step may end.
    if "interrupted" in dwarf or "interrupted" in archive:
        return None
    return {**question, "does": "finish", "function": plain_name(result.question["function"])}


def ask(program, asked):
    base = os.path.join(program.folder, "gdb")
    with open(base + ".questions", "w") as out:
        out.writelines(text + "\n" for text in asked)
    environment = dict(os.environ, QUESTIONS=base + ".questions", ANSWERS=base + ".answers")
    with open(base + ".log", "w") as log:
        try:
            subprocess.run(["gdb", "-batch", "-nx", "-x", ANSWERS, program.copy("dwarf")],
                           stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=TIME,
                           env=environment, check=True)
        except subprocess.TimeoutExpired:
            print("gdb did not answer everything in time", file=log)
        except (OSError, subprocess.CalledProcessError) as error:
            raise RuntimeError("%s: gdb failed: %s: see %s.log" % (program.name, error, base))
    with open(base + ".answers") as answers:
        return [json.loads(line) for line in answers]


def verdict(program, result, answer):
    dwarf, archive = result.answers
    if result.kind in ("name", "line", "gap"):
        if place := place_of_names(result):
            sides = [names_at(side, place) for side in result.answers]
            agrees = [[plain_name(n) for n in answer] == names for names in sides]
        else:
            agrees = agreement_on_places(program, answer, dwarf, archive)
    elif result.kind == "backtrace":
        agrees = [same_stack(program, answer["frames"], side["frames"])
                  for side in result.answers]
    else:
        agrees = ["error" not in side and answer["place"] == lldb_differences.place_of(side)
                  for side in result.answers]
    return {(True, False): "LLDB with DWARF", (False, True): "the archive",
            (True, True): "both", (False, False): "neither"}[tuple(agrees)]


def place_of_names(result):
    """The address of the first location of a breakpoint at which the functions differ,
    if LLDB does not find their names."""
    dwarf, archive = result.answers
    theirs = {l["address"]: l for l in archive}
    return next((l["address"] for l in dwarf if result.cause == lldb_causes.NAME and
                 l["address"] in theirs and
                 lldb_differences.compare_described(l, theirs[l["address"]])), None)


def names_at(locations, address):
    location = next(l for l in locations if l["address"] == address)
    return [plain_name(place[0]) for place in location["chain"]]


def agreement_on_places(program, addresses, *sides):
    """Whether gdb's ADDRESSES for a breakpoint are in the same functions, or parts of
    functions, as those of each side. Only the parts that the sides do not share count,
    because debuggers disagree on the instruction at which a function begins."""
    asked = {part_at(program, a) for a in addresses}
    found = [{part_at(program, l["address"]) for l in side} for side in sides]
    open_parts = found[0] ^ found[1]
    return [asked & open_parts == side & open_parts for side in found]


def part_at(program, address):
    """The number of the symbol that contains ADDRESS. Each part of a function has its
    own symbol."""
    return bisect.bisect_right(program.symbols, (address, "\uffff"))


def same_stack(program, answer, frames):
    """Whether LLDB's FRAMES are those of gdb's ANSWER, up to `main`, as far as they are
    in the program itself. Inlined calls do not count: whether a debugger shows them at
    their beginning may depend on how the process got there."""
    module = os.path.basename(program.binary)
    theirs = [plain_name(name) for name, inlined in answer if not inlined]
    ours = [plain_name(f[2] if f[0] == module else None) for f in frames if not (f[6] or f[7])]
    return up_to_main(theirs) == up_to_main(ours)


def up_to_main(names):
    return names[:names.index("main") + 1] if "main" in names else names
