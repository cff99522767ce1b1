"""Assigns differences between LLDB's answers to the causes that docs/LLDB.md explains."""

import ast
import collections
import itertools
import re

import lldb_differences
import lldb_questions
from lldb_questions import base_name, without_parameters

TAIL_CALL = "frames of tail calls"
LOST_FRAME = "frames that LLDB loses with DWARF"
NOT_LEFT = "inlined calls that LLDB does not leave with DWARF"
NEVER_LEFT = "inlined calls that LLDB does not leave"
NOT_PASSED = "inlined calls that LLDB does not step over with DWARF"
UNSORTED = "blocks that LLDB does not find in DWARF"
COLD = "parts of split functions"
EMPTY = "empty pieces of inlined calls"
BLOCK = "lexical blocks"
SAME_PLACE = "inlined calls of one place"
COPIES = "functions that several units claim"
UNIT = "units of headers, and declarations"
NAME = "names that LLDB does not find in DWARF"
NOT_PARSED = "names that LLDB does not take apart"
TEMPLATE = "templates without arguments"
METHOD = "methods that LLDB does not match in DWARF"
SPELLING = "names that LLDB makes of types"
DECLARATION = "declarations of methods"
SUFFIX = "suffixes of symbols"
ALIAS = "other symbols of a function"
NO_FUNCTION = "functions that DWARF does not describe"
OTHER = "unexplained"


def functions_of(location):
    return [base_name(without_parameters(place[0] or "")) for place in location["chain"]]


def call_of(location, name):
    """The call sites from the call of function NAME outwards."""
    functions = functions_of(location)
    place = functions.index(name) if name in functions else 0
    return [place[1:] for place in location["chain"][place + 1:]]


def cause_of_locations(program, kind, question, dwarf, archive):
    d, a = ({l["address"]: l for l in side} for side in (dwarf, archive))
    missing = [d[x] for x in d if x not in a]
    added = [a[x] for x in a if x not in d]
    if any(program.is_cold(l["address"]) for l in missing + added):
        return COLD
    split = {l["chain"][-1][0] for l in archive if program.is_cold(l["address"])}
    if added and not missing and all(l["chain"][-1][0] in split for l in added):
        return COLD
    if name := question.get("name"):
        if added and not missing and is_not_parsed(program, name):
            return NOT_PARSED
        name = base_name(name)
        if added and not missing and all(
                is_template(program, l, name) or l["chain"][-1][0] in split or
                begins_template(program, l, name) for l in added):
            return TEMPLATE
        if any(name not in functions_of(l) for l in missing):
            return EMPTY
        if missing and not added:
            kept = [call_of(l, name) for l in archive]
            if all(call_of(l, name) in kept for l in missing):
                return SAME_PLACE
        if len(missing) == len(added) and any(functions_of(l)[0] != name for l in missing + added):
            return EMPTY
        # LLDB finds other code of the added functions, and shows it without their names.
        nameless = {a[x]["chain"][-1][0] for x in d
                    if x in a and "(anonymous)(" in (d[x]["chain"][-1][0] or "")}
        if added and not missing and all(
                l["chain"][-1][0] in nameless or
                l["chain"][-1][0].startswith("(anonymous namespace)::") for l in added):
            return NAME
        if missing or added:
            return OTHER
        return cause_of_chains([(d[x]["chain"], a[x]["chain"]) for x in d])
    # LLDB keeps one location in each block.
    kept = [(functions_of(l), l["chain"][0][2]) for l in archive]
    if missing and not added and all(
            (functions_of(l), l["chain"][0][2]) in kept for l in missing):
        return BLOCK
    if any(program.is_claimed_twice(l["address"]) for l in missing):
        return COPIES
    if kind == "gap" or any(is_of_header(l) for l in missing + added):
        return UNIT
    if not missing and not added:
        return cause_of_chains([(d[x]["chain"], a[x]["chain"]) for x in d])
    return OTHER


def cause_of_chains(pairs):
    """The cause of the differences in PAIRS of call chains at one address, innermost
    first."""
    pairs = [(d, a) for d, a in pairs if lldb_differences.compare_chain(d, a)]
    if all(is_respelled(d, a) for d, a in pairs):
        return SPELLING
    if all(lacks_innermost(d, a) or is_respelled(d, a) for d, a in pairs):
        return UNSORTED
    return OTHER


def without_brackets(name):
    """NAME without the text in angle brackets."""
    shorter = re.sub(r"<[^<>]*>", "", name.replace(" >", ">"))
    return name if shorter == name else without_brackets(shorter)


def is_respelled(dwarf, archive):
    """Whether two chains are the same except for functions whose names LLDB makes from
    types, because DWARF has no linkage names for them."""
    if len(dwarf) != len(archive):
        return False
    return all(d[1:] == a[1:] and ("(anonymous)(" in (d[0] or "") or lldb_differences.same_name(
        *(without_brackets(without_parameters(x[0] or "")) for x in (d, a))))
               for d, a in zip(dwarf, archive))


def lacks_innermost(dwarf, archive):
    """Whether DWARF's chain is the archive's without the innermost calls, whose block
    LLDB has not found, but at the same row."""
    left = archive[len(archive) - len(dwarf):]
    return 0 < len(dwarf) < len(archive) and not lldb_differences.compare_chain(
        dwarf, [[left[0][0], *archive[0][1:]], *left[1:]])


def is_not_parsed(program, name):
    """Whether LLDB, which treats all names as C++, finds no scopes in NAME."""
    return program.entry["language"] == "Rust" and "::" in name and bool(re.search(
        r"\{|(^|::)(auto|bool|char|const|default|delete|float|int|long|new|private|public|"
        r"register|short|switch|thread_local|this|typename|union|unsigned|void)(::|$)", name))


def is_template(program, location, name):
    """Whether NAME is that of a function in LOCATION that is a template instance.
    Rust's older names do not say of which template. LLDB cannot demangle some C++
    names."""
    return program.entry["language"] == "Rust" or any(
        re.search(r"(^|::| )%s<|^_Z\w*?%d%sI" % (re.escape(name), len(name), re.escape(name)),
                  place[0] or "") for place in location["chain"])


def begins_template(program, location, name):
    """Whether an inlined call of a template NAME may begin at LOCATION, before its own
    code."""
    return name not in functions_of(location) and any(
        ("::" + inlined).rfind("::%s<" % name) >= 0
        for inlined in program.inlined_around(location["address"]))


def is_of_header(location):
    return not re.search(r"\.(c|cc|cpp)$", location["chain"][0][1])


def cause_of_lookup(program, question, dwarf, archive):
    d, a = (lldb_differences.parse_lookup(text) for text in (dwarf, archive))
    missing, added = d - a, a - d
    # LLDB lists one match for each unit.
    if set(d) == set(a) and all(program.is_claimed_twice(address)
                                for address, _ in [*missing, *added]):
        return COPIES
    if any(program.is_cold(address) for address, _ in [*missing, *added]):
        return COLD
    split = {function_of(match) for match in a if program.is_cold(match[0])}
    if added and not missing and all(function_of(match) in split for match in added):
        return COLD
    if added and not missing and all(program.is_only_symbol(address) for address, _ in added):
        return NO_FUNCTION
    if found := cause_of_callers(missing, added):
        return found
    pattern = re.search(r"'(.*)'", question["command"])[1]
    if " -r " not in question["command"]:
        pattern = "^%s$" % re.escape(base_name(pattern))
    name = re.search(r"'(.*)'", question["command"])[1]
    if (added and not missing and " -r " not in question["command"] and
            is_not_parsed(program, name)):
        return NOT_PARSED
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
        # The first line is that of the innermost function. Two calls in a function
        # cannot begin at the same place.
        lines = match[1]
        if d[match] > 1 or lines and not re.search(pattern, lines[0][1][-1]):
            return EMPTY
    return OTHER


def function_of(match):
    """The function that contains a MATCH of `image lookup`."""
    return match[1][-1][1][0] if match[1] else None


def cause_of_callers(missing, added):
    """The cause if the MISSING matches are the ADDED ones except for names or callers. LLDB
    lists one of several matches that have the same callers."""
    if missing.keys() & added.keys() or sum(missing.values()) > sum(added.values()):
        return None
    theirs = collections.defaultdict(list)
    for address, lines in added.elements():
        theirs[address].append(lines)
    causes = set()
    for address, lines in missing.elements():
        found = next((t for t in theirs[address]
                      if is_nameless(lines, t) or lacks_callers(lines, t)), None)
        if found is None:
            return None
        theirs[address].remove(found)
        causes.add(NAME if is_nameless(lines, found) else UNSORTED)
    if UNSORTED in causes:
        return UNSORTED
    return NAME if causes and sum(missing.values()) == sum(added.values()) else None


def is_nameless(dwarf, archive):
    """Whether the lines about a match are the archive's, except for functions for which
    LLDB has no name with DWARF."""
    return len(dwarf) == len(archive) and all(
        d[2] == a[2] and len(d[1]) == len(a[1]) and
        all(x in (y, "(anonymous)") for x, y in zip(d[1], a[1])) for d, a in zip(dwarf, archive))


def lacks_callers(dwarf, archive):
    """Whether the lines about a match are the first ones of the archive's lines. LLDB
    goes from the innermost call to its callers, and stops at one whose block it does
    not find. It then shows the call site as a place in the function."""
    if not 0 < len(dwarf) < len(archive):
        return False
    given = [*archive[:len(dwarf) - 1], (*archive[len(dwarf) - 1][:1],
             archive[-1][1][:1], *archive[len(dwarf) - 1][2:])]
    return is_nameless(dwarf, given)


def cause_of_symbol(program, dwarf, archive):
    d, a = (lldb_differences.parse_lookup(text) for text in (dwarf, archive))
    differing = {address for address, _ in [*(d - a), *(a - d)]}
    # An archive has one name for the code at an address.
    if d - a and not a - d and all(len(program.symbols_at(x)) > 1 for x in differing):
        return ALIAS
    # An archive names a function's parts like the function.
    if not d - a and all(any(re.search(r"\.\w+\.\d+", s) for s in program.symbols_at(x))
                         for x in differing):
        return SUFFIX
    if all(program.is_only_symbol(x) for x in differing):
        return NO_FUNCTION
    return OTHER


def cause_of_disassembly(dwarf, archive):
    d, a = ([line for line in lldb_differences.parse_disassembly(text) if is_code(line)]
            for text in (dwarf, archive))
    if d == a:
        return DECLARATION
    # LLDB counts offsets in a split function from its lower part.
    d, a = ([re.sub(r" <\+\d+>", "", line) for line in side] for side in (d, a))
    if d == a:
        return COLD
    differing = [(x, y) for x, y in itertools.zip_longest(d, a) if x != y]
    if not all(x and y and x[0] == y[0] == "(" for x, y in differing):
        return OTHER
    differing = [(ast.literal_eval(x), ast.literal_eval(y)) for x, y in differing]
    if all(is_nameless([x], [y]) for x, y in differing):
        return NAME
    # Only the innermost call is named.
    return UNSORTED if all(x[1][0] in (y[1][0], "(anonymous)") and len(x[1]) <= len(y[1])
                           for x, y in differing) else OTHER


def is_code(line):
    """Whether a parsed LINE of a disassembly is not a line of the source."""
    return line.startswith("('") or re.match(r"\S*\[0x", line)


def cause_of_frames(dwarf, archive):
    """LLDB has lost the stack if it does not reach the beginning of the process or thread,
    or if it has only some of the archive's frames."""
    begun = [reaches_beginning(side["frames"]) for side in (dwarf, archive)]
    if begun == [False, True]:
        return LOST_FRAME
    given = [f[:-1] for f in archive["frames"]]
    shown = [f[:-1] for f in dwarf["frames"] if not f[-1]]
    theirs = iter(given)
    found = all(any(lldb_differences.same_frame(frame, their) for their in theirs)
                for frame in shown)
    if found and len(given) > len(shown):
        return LOST_FRAME
    return UNSORTED if lacks_inlined_frames(dwarf, archive) else OTHER


def reaches_beginning(frames):
    """Whether FRAMES reach the beginning of the process, or of a thread, in libc."""
    return "_start" in [f[2] for f in frames] or bool(
        frames and (frames[-1][0] or "").startswith("libc."))


def lacks_inlined_frames(dwarf, archive):
    """Whether both stopped at the same place, and LLDB with DWARF lacks only inlined
    calls, and their function if it has found none of the callers inside it. At the
    beginning of inlined calls, debuggers do not show all of them, so another one may be
    the innermost."""
    if lldb_differences.place_of(dwarf) != lldb_differences.place_of(archive):
        return False
    shown, given = ([f[:-1] for f in side["frames"] if not f[-1]] for side in (dwarf, archive))
    top = next((i for i, f in enumerate(given) if not f[6]), len(given)) + 1
    inside, below = given[:top], given[top:]
    if below and (len(shown) < len(below) or
                  not lldb_differences.same_frame(below[0], shown[-len(below)])):
        return False
    shown = shown[:len(shown) - len(below)]
    return 0 < len(shown) < len(inside)


def has_ended(answer):
    return "frames" in answer and not answer.get("interrupted") and not answer.get("error")


def enters(answer, question):
    """Whether a step over code of the QUESTION's function ended in a call inlined
    there."""
    frames = answer.get("frames") or [[None] * 8]
    return (frames[0][6] and frames[0][2] != question["function"] and
            not has_left({"frames": list(itertools.takewhile(lambda f: f[6], frames[1:]))}, question))


def has_left(answer, question):
    """Whether the function that a QUESTION leaves has no frame any more."""
    return question["function"] not in [frame[2] for frame in answer.get("frames", ())]


def cause_of_step(question, dwarf, archive):
    """A step that needs the caller ends elsewhere if LLDB does not find the caller."""
    if question["kind"] == "finish" and has_ended(dwarf) and not has_left(dwarf, question):
        # A step that another stop interrupted did not reach its end.
        if archive.get("interrupted") or has_left(archive, question):
            return NOT_LEFT
        return NEVER_LEFT
    if question["kind"] == "next" and enters(dwarf, question) and not enters(archive, question):
        return NOT_PASSED
    if dwarf.get("frames") and archive.get("frames"):
        if archive["frames"][0][2] == "%s@plt" % dwarf["frames"][0][2]:
            return NO_FUNCTION
        if (found := cause_of_frames(dwarf, archive)) != OTHER:
            return found
    if "Could not create return address" in dwarf.get("error", ""):
        return LOST_FRAME
    if "No line entries matching" in dwarf.get("error", "") and not archive.get("error"):
        return UNIT
    return OTHER


def cause(program, kind, question, difference, answers):
    """The cause of the DIFFERENCE between the two ANSWERS to the QUESTION of class
    KIND."""
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
    if kind == "disassembly":
        return cause_of_disassembly(*answers)
    if kind == "symbol" and re.search(r"\.\w+\.\d+'", question["command"]):
        return SUFFIX
    if kind == "symbol":
        return cause_of_symbol(program, *answers)
    return OTHER
