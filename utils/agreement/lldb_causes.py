"""Assigns differences between LLDB's answers to the causes that docs/LLDB.md explains."""

import re

import lldb_differences
import lldb_questions
from lldb_questions import base_name, without_parameters

TAIL_CALL = "frames of tail calls"
LOST_FRAME = "frames that LLDB loses with DWARF"
NOT_LEFT = "inlined calls that LLDB does not leave with DWARF"
COLD = "parts of split functions"
EMPTY = "empty pieces of inlined calls"
BLOCK = "lexical blocks"
SAME_PLACE = "inlined calls of one place"
COPIES = "functions that several units claim"
UNIT = "units of headers, and declarations"
NAME = "names that LLDB does not find in DWARF"
TEMPLATE = "templates without arguments"
METHOD = "methods that LLDB does not match in DWARF"
DECLARATION = "declarations of methods"
SUFFIX = "suffixes of symbols"
OTHER = "unexplained"


def functions_of(location):
    return [base_name(without_parameters(place[0] or "")) for place in location["chain"]]


def call_of(location, name):
    """The call sites from where function NAME is called on."""
    functions = functions_of(location)
    place = functions.index(name) if name in functions else 0
    return [place[1:] for place in location["chain"][place + 1:]]


def cause_of_locations(program, kind, question, dwarf, archive):
    d, a = ({l["address"]: l for l in side} for side in (dwarf, archive))
    missing = [d[x] for x in d if x not in a]
    added = [a[x] for x in a if x not in d]
    if any(program.is_cold(l["address"]) for l in missing + added):
        return COLD
    if name := question.get("name"):
        name = base_name(name)
        if not missing and all(is_template(program, l, name) for l in added):
            return TEMPLATE
        if any(name not in functions_of(l) for l in missing):
            return EMPTY
        if missing and not added:
            kept = [call_of(l, name) for l in archive]
            if all(call_of(l, name) in kept for l in missing):
                return SAME_PLACE
        if len(missing) == len(added) and any(functions_of(l)[0] != name for l in missing + added):
            return EMPTY
        return OTHER
    # LLDB keeps one location for each block.
    kept = [(functions_of(l), l["chain"][0][2]) for l in archive]
    if missing and not added and all(
            (functions_of(l), l["chain"][0][2]) in kept for l in missing):
        return BLOCK
    if any(program.is_claimed_twice(l["address"]) for l in missing):
        return COPIES
    if kind == "gap" or any(is_of_header(l) for l in missing + added):
        return UNIT
    return OTHER


def is_template(program, location, name):
    """Whether NAME stands for a function of LOCATION that is made of a template. Rust's
    older names do not say of what."""
    return program.entry["language"] == "Rust" or any("::%s<" % name in "::" + (place[0] or "") or " %s<" % name in (place[0] or "")
               for place in location["chain"])


def is_of_header(location):
    return not re.search(r"\.(c|cc|cpp)$", location["chain"][0][1])


def cause_of_lookup(program, question, dwarf, archive):
    d, a = (lldb_differences.parse_lookup(text) for text in (dwarf, archive))
    missing, added = d - a, a - d
    # LLDB lists a match for each unit.
    if set(d) == set(a) and all(program.is_claimed_twice(address)
                                for address, _ in [*missing, *added]):
        return COPIES
    if any(program.is_cold(address) for address, _ in [*missing, *added]):
        return COLD
    pattern = re.search(r"'(.*)'", question["command"])[1]
    if " -r " not in question["command"]:
        pattern = "^%s$" % re.escape(base_name(pattern))
    if added and not missing and (
            program.entry["language"] == "Rust" or re.search(r">(\(| at )", archive)):
        return TEMPLATE
    # LLDB matches base names of functions, but not of methods.
    if added and not missing and " -r " in question["command"] and "::" in archive:
        return METHOD
    if missing and not added:
        kept = [[line[2] for line in lines[1:]] for _, lines in a]
        if all([line[2] for line in lines[1:]] in kept for _, lines in missing):
            return SAME_PLACE
    for match in missing:
        # The first line is that of the innermost function; two calls cannot begin at
        # one place in one function.
        lines = match[1]
        if d[match] > 1 or lines and not re.search(pattern, lines[0][1][-1]):
            return EMPTY
    return OTHER


def cause_of_frames(dwarf, archive):
    """LLDB has lost its way if it does not come to where the process began, or if it has
    only some of the archive's frames."""
    begun = ["_start" in [f[2] for f in side["frames"]] for side in (dwarf, archive)]
    if begun == [False, True]:
        return LOST_FRAME
    given = [f[:-1] for f in archive["frames"]]
    shown = [f[:-1] for f in dwarf["frames"] if not f[-1]]
    theirs = iter(given)
    found = all(any(lldb_differences.same_frame(frame, their) for their in theirs)
                for frame in shown)
    return LOST_FRAME if found and len(given) > len(shown) else OTHER


def has_left(answer, question):
    """Whether the function that a QUESTION wants to leave has no frame any more."""
    return question["function"] not in [frame[2] for frame in answer.get("frames", ())]


def cause_of_step(question, dwarf, archive):
    """A step that needs the caller ends elsewhere if LLDB does not find it."""
    if question["kind"] == "finish" and not has_left(dwarf, question) and has_left(archive, question):
        return NOT_LEFT
    if "frames" in dwarf and "frames" in archive and cause_of_frames(dwarf, archive) == LOST_FRAME:
        return LOST_FRAME
    if "Could not create return address" in dwarf.get("error", ""):
        return LOST_FRAME
    if "No line entries matching" in dwarf.get("error", "") and not archive.get("error"):
        return UNIT
    return OTHER


def cause(program, kind, question, difference, answers):
    """The cause of the DIFFERENCE in the two ANSWERS to the QUESTION of class KIND."""
    if difference == "frames of tail calls":
        return TAIL_CALL
    if difference.startswith("function of") and "(anonymous)(" in str(answers[0]):
        return NAME
    if kind in ("name", "line", "gap"):
        return cause_of_locations(program, kind, question, *answers)
    if kind in ("function", "regex"):
        return cause_of_lookup(program, question, *answers)
    if kind == "backtrace":
        return cause_of_frames(*answers)
    if kind in lldb_questions.STEPS:
        return cause_of_step(question, *answers)
    if kind == "disassembly" and difference == "source lines":
        return DECLARATION
    if kind == "symbol" and re.search(r"\.\w+\.\d+'", question["command"]):
        return SUFFIX
    return OTHER
