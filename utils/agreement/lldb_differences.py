"""Compares two LLDBs' answers to one question, and describes how they differ.

Module, function, file, line, column, address and inlined calls are compared. Parameters
in names, return types, IDs, variables and names of data are not.

Each comparison returns None for equal answers, and otherwise the kind of the
difference, a short text.
"""

import collections
import functools
import itertools
import re

from lldb_questions import base_name, without_parameters

FRAME = ("module", "address", "function", "file", "line", "column", "inlined")
# lidia-lldb-answers truncates longer backtraces.
MAX_FRAMES = 64
PLACE = ("function", "file", "line", "column")


def same_name(a, b):
    """LLDB shows some functions without scopes that the archive has: `Push` for
    `main()::Test::Push`."""
    if a == b:
        return True
    a, b = without_parameters(a or ""), without_parameters(b or "")
    return a == b or a and b and (a.endswith("::" + b) or b.endswith("::" + a))


def first_difference(names, a, b):
    """The name of the first field that differs."""
    for name, x, y in zip(names, a, b):
        if not (same_name(x, y) if name == "function" else x == y):
            return name
    return None


def same_frame(a, b):
    return first_difference(FRAME, a, b) is None


def compare_chain(dwarf, archive):
    if len(dwarf) != len(archive):
        return "%s inlined calls" % ("fewer" if len(archive) < len(dwarf) else "more")
    for depth, (d, a) in enumerate(zip(dwarf, archive)):
        if field := first_difference(PLACE, d, a):
            return "%s of %s" % (field, "the row" if depth == 0 and field != "function"
                                 else "a call site" if field != "function"
                                 else "the function" if depth == len(dwarf) - 1
                                 else "an inlined function")
    return None


def compare_described(dwarf, archive):
    if dwarf["module"] != archive["module"]:
        return "module"
    return compare_chain(dwarf["chain"], archive["chain"])


def compare_locations(dwarf, archive):
    """Compares the locations of a breakpoint."""
    d, a = ({l["address"]: l for l in side} for side in (dwarf, archive))
    if d.keys() != a.keys():
        if not a or not d:
            return "pending with %s" % ("the archive" if d else "DWARF")
        missing, added = d.keys() - a.keys(), a.keys() - d.keys()
        if not added:
            return "fewer locations"
        if not missing:
            return "more locations"
        inlined = all(len(d[x]["chain"]) > 1 for x in missing)
        return "other addresses, %s" % ("all of inlined calls" if inlined else "of functions")
    for address in sorted(d):
        if difference := compare_described(d[address], a[address]):
            return difference
    return None


SUMMARY = re.compile(r"(?:(?P<module>[^`]*)`)?(?P<function>.*?)(?P<offset> \+ \d+)?"
                     r"(?: at (?P<place>[^ ]+:\d+(?::\d+)?)| at [^ :]+)?$")


@functools.lru_cache(maxsize=None)
def parse_summary(line):
    """The parts of a line such as `a.out`f + 4 [inlined] g + 2 at f.c:3:4`."""
    found = SUMMARY.match(line.strip())
    functions = [base_name(without_parameters(re.sub(r" \+ \d+$", "", f)))
                 for f in found["function"].split(" [inlined] ")]
    return (found["module"], tuple(functions), found["place"])


def parse_lookup(text):
    """The address and summary of each match of `image lookup`, in any order."""
    matches = []
    for line in text.splitlines():
        if found := re.match(r"\s+Address: [^[]*\[(0x[0-9a-f]+)\]", line):
            matches.append((int(found[1], 16), []))
        elif matches and line.strip():
            line = re.sub(r"^\s+Summary: ", "", line)
            matches[-1][1].append(parse_summary(line))
    return collections.Counter((address, tuple(lines)) for address, lines in matches)


def compare_lookup(dwarf, archive):
    if dwarf == archive:
        return None
    d, a = parse_lookup(dwarf), parse_lookup(archive)
    if d == a:
        return None
    if not a or not d:
        return "nothing found with %s" % ("the archive" if d else "DWARF")
    addresses = [collections.Counter(x[0] for x in side.elements()) for side in (d, a)]
    if addresses[0] == addresses[1]:
        return "other summary"
    if set(addresses[0]) == set(addresses[1]):
        return "other number of matches at an address"
    missing, added = set(addresses[0]) - set(addresses[1]), set(addresses[1]) - set(addresses[0])
    return "fewer matches" if not added else "more matches" if not missing else "other addresses"


def parse_disassembly(text):
    lines = []
    for line in text.splitlines():
        # An operand may refer to data, whose names are not compared.
        line, _, comment = line.partition(" ; ")
        # The column of instructions depends on the size of the function.
        line = re.sub(r"(<\+\d+>:|\]:) +", r"\1 ", line.rstrip())
        if line.endswith(":") and "`" in line:
            line = repr(parse_summary(line[:-1]))
        if found := re.search(r" at ([^ ]+:\d+(:\d+)?)$", comment):
            line += " ; " + found[1]
        lines.append(line)
    return lines


def compare_disassembly(dwarf, archive):
    if dwarf == archive:
        return None
    d, a = parse_disassembly(dwarf), parse_disassembly(archive)
    if d == a:
        return None
    for x, y in zip(d, a):
        if x != y:
            code = [re.match(r"\S*\[0x", z) for z in (x, y)]
            if all(code):
                return ("comment of an instruction" if x.partition(" ; ")[0].rstrip() ==
                        y.partition(" ; ")[0].rstrip() else "instruction")
            return "source lines"
    return "length"


def compare_frames(dwarf, archive):
    """Compares backtraces. DWARF records calls that replace a return (tail calls). LLDB
    shows the callers that have left the stack as artificial frames."""
    if not compare_real_frames(dwarf, archive):
        return None
    shown, given = ([f[:-1] for f in side if not f[-1]] for side in (dwarf, archive))
    if MAX_FRAMES in (len(dwarf), len(archive)):
        shown, given = (side[:min(len(shown), len(given))] for side in (shown, given))
    difference = compare_real_frames(shown, given)
    if not difference and len(dwarf) != len(shown):
        return "frames of tail calls"
    return difference


def compare_real_frames(dwarf, archive):
    for depth, (d, a) in enumerate(zip(dwarf, archive)):
        if field := first_difference(FRAME, d, a):
            return "%s of frame %s" % (field, "0" if depth == 0 else "above")
    if len(dwarf) != len(archive):
        return "%s frames" % ("fewer" if len(archive) < len(dwarf) else "more")
    return None


def place_of(state):
    """The program counter and stack pointer of a process."""
    return [state["frames"][0][1], state["sp"]]


def compare_step(dwarf, archive):
    """Compares the places where a step ended."""
    for key in ("ends", "error", "interrupted"):
        if dwarf.get(key) != archive.get(key):
            return key
    if "ends" in dwarf:
        return None
    if dwarf["reason"] != archive["reason"]:
        return "reason of the stop"
    d, a = dwarf["frames"], archive["frames"]
    if dwarf["sp"] != archive["sp"] or d[0][:2] != a[0][:2]:
        return "another address"
    return compare_frames(d[:1], a[:1])


STATIC = {
    "name": compare_locations,
    "line": compare_locations,
    "gap": compare_locations,
    "address": compare_described,
    "function": compare_lookup,
    "symbol": compare_lookup,
    "regex": compare_lookup,
    "disassembly": compare_disassembly,
}


PLACES = [kind for kind, compare in STATIC.items()
          if compare in (compare_locations, compare_lookup)]


def places_found(kind, answer):
    """The addresses in an ANSWER to a question of a class of PLACES."""
    if STATIC[kind] == compare_locations:
        return {location["address"] for location in answer}
    return {address for address, _ in parse_lookup(answer)}


def compare_runs(stops, dwarf, archive):
    """Yields (class, question, difference or None, answers) for two runs.

    Processes that diverged stop at the same addresses, but may have run further. In
    that case the stack pointer differs, and the stop is not counted.

    A question has the path of the process, and a step also the function in which it
    begins."""
    kinds = {stop["address"]: stop for stop in stops}
    theirs = {stop["address"]: stop for stop in archive}
    for d in dwarf:
        stop = kinds[d["address"]]
        a = theirs.get(d["address"])
        if not a or d["arrives"]["sp"] != a["arrives"]["sp"]:
            yield "lost", stop, "not comparable", None
            continue
        before = d["arrives"]
        path = [place_of(before)]
        yield ("backtrace", dict(stop, path=path),
               compare_frames(before["frames"], a["arrives"]["frames"]), (before, a["arrives"]))
        for number, (x, y) in enumerate(zip(d["does"], a["does"])):
            if x.get("interrupted") and y.get("interrupted"):
                break
            difference = compare_step(x, y)
            question = dict(stop, number=number, path=path, function=before["frames"][0][2])
            yield stop["kind"], question, difference, (x, y)
            if difference or "ends" in x:
                break
            before = x
            path = path + [place_of(before)]
            yield ("backtrace", dict(stop, path=path), compare_frames(x["frames"], y["frames"]),
                   (x, y))


def compare_functions(dwarf, archive):
    """Yields (class, question, difference or None, answers) for the types of the functions
    that DWARF has, and for the display names of the archive's."""
    ours = collections.defaultdict(set)
    named = collections.defaultdict(set)
    for address, name, display, kind in archive:
        ours[address].add(kind)
        named[without_parameters(name or "")].add(kind)
        yield ("display", {"function": name, "address": address},
               None if display else "no display name", (display, display))
    for address, name, _, kind in dwarf:
        # With DWARF, LLDB takes the cold part of a split function for its beginning.
        kinds = ours.get(address) or named[without_parameters(name or "")]
        if kind:
            yield ("type", {"function": name, "address": address},
                   None if kind in kinds else "other type" if any(kinds) else "no type",
                   (kind, sorted(k or "" for k in kinds)))


def shown(values):
    """The values that LLDB shows, by name; of one name the first, which LLDB uses."""
    found = {}
    for name, *rest in values:
        found.setdefault(name, rest)
    return {name: rest for name, rest in found.items() if len(rest) > 1}


def compare_values(kind, question, dwarf, archive):
    """Yields the same for the values that LLDB shows with DWARF."""
    ours = shown(archive)
    for name, value in shown(dwarf).items():
        mine = ours.get(name)
        yield (kind, dict(question, value=name),
               None if mine == value else "missing" if not mine else
               "other type" if mine[0] != value[0] else "other value", (value, mine))


def compare_stops(dwarf, archive):
    """Yields the same for the variables and expressions at the stops of two runs."""
    theirs = {stop["address"]: stop for stop in archive}
    for d in dwarf:
        a = theirs.get(d["address"], {})
        if "arrives" in d and a and d["arrives"]["sp"] != a["arrives"]["sp"]:
            continue
        for depth, values in enumerate(d.get("variables", [])):
            others = a.get("variables", [])
            yield from compare_values("variable", {"address": d["address"], "frame": depth},
                                      values, others[depth] if depth < len(others) else [])
        for value, other in itertools.zip_longest(d.get("values", []), a.get("values", [])):
            if len(value) > 2:
                yield ("call", {"address": d["address"]},
                       None if value == other else "other value", (value, other))
