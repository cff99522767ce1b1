"""Chooses the questions of compare-lldb.py about a program, from what LLDB knows with
DWARF.

A class of questions is a list of JSON objects for lidia-lldb-answers. The choice is
random, but the same for the same program, count and seed.
"""

import bisect
import collections
import functools
import itertools
import os
import random
import re

STATIC = {
    "name": "breakpoint by name",
    "line": "breakpoint by line, with code",
    "gap": "breakpoint by line, without code",
    "address": "image lookup by address",
    "function": "image lookup by function",
    "symbol": "image lookup by symbol",
    "regex": "image lookup by expression",
    "disassembly": "disassemble -m",
}
STEPS = {
    "step": "thread step-in",
    "next": "thread step-over",
    "finish": "thread step-out",
    "until": "thread until",
}

# What LLDB says of types and values, in one answer for the whole program or at each stop.
VALUES = {
    "type": "types of functions",
    "display": "functions with a display name",
    "global": "global variables",
    "variable": "frame variable",
    "call": "expression with a call",
}
# Calls to evaluate in one program, and the types of their arguments.
MAX_CALLS = 20
NUMBERS = r"(?:(?:unsigned )?(?:char|short|int|long)|_Bool|bool)"

# Longer functions are not disassembled, because they add little.
MAX_DISASSEMBLY = 4096
# Expressions with more matches are skipped for the same reason.
MAX_MATCHES = 20
# The number of places in one function at which a run may stop.
ROWS_OF_FUNCTION = 3
# The number of commands at one stop. Each one continues where the last one ended.
STEPS_AT_STOP = 3


@functools.lru_cache(maxsize=None)
def without_parameters(name):
    """NAME as a user types it: `ns::f<int>(char) const` becomes `ns::f<int>`."""
    name = re.sub(r" \[clone [^]]*\]| \(\.[^)]*\)$", "", name)
    name = re.sub(r"(?<=\)) (const|volatile|&&?|noexcept)+$", "", name)
    if name.endswith(")") and "operator()" != name[-10:]:
        depth = 0
        for i in range(len(name) - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(name[i], 0)
            if depth == 0:
                name = name[:i] if i else name
                break
    name = re.sub(r"(?<=\)) (const|volatile|&&?)$", "", name)
    return without_return_type(name)


def without_return_type(name):
    """Removes the return type that mangled names of templates have: `void f<int>`
    becomes `f<int>`."""
    if "operator" in name or name.startswith("<"):
        return name
    depth = 0
    start = 0
    for i, c in enumerate(name):
        depth += {"<": 1, "(": 1, "{": 1, "[": 1, ">": -1, ")": -1, "}": -1, "]": -1}.get(c, 0)
        if c == " " and depth == 0:
            start = i + 1
    name = name[start:]
    return name[2:] if name.startswith("::") else name


def without_arguments(name):
    """`ns::c<int>::f<char>` becomes `ns::c<int>::f`."""
    if not name.endswith(">") or "operator" in base_name(name):
        return name
    depth = 0
    for i in range(len(name) - 1, 0, -1):
        depth += {">": 1, "<": -1}.get(name[i], 0)
        if depth == 0:
            return name if name[i - 1] == ":" else name[:i]
    return name


def base_name(name):
    """The part after the last `::` outside of brackets."""
    depth = 0
    for i in range(len(name) - 1, 0, -1):
        depth += {">": 1, ")": 1, "}": 1, "<": -1, "(": -1, "{": -1}.get(name[i], 0)
        if depth == 0 and name[i - 1:i + 1] == "::":
            return name[i + 1:]
    return name


def plain_name(name):
    """The name that all debuggers have for the function NAME in any scope."""
    name = re.sub(r"::h[0-9a-f]{16}$|\[abi:\w+\]", "", name or "")
    return re.sub(r"\{+closure.*", "{closure}", without_arguments(base_name(without_parameters(name))))


def quotable(name):
    return not re.search(r"['\"`\\]", name)


class Inventory:
    """The functions, rows and symbols that LLDB knows in a program."""

    def __init__(self, answer):
        self.functions = sorted((f for f in answer["functions"] if f[0]), key=repr)
        self.outermost = sorted({(f[2], f[3], f[0]) for f in self.functions if not f[4]})
        self.symbols = sorted((s[1], s[0]) for s in answer["symbols"] if s[0])
        self.typed = None
        self.rows = sorted(r for r in answer["rows"] if r[1] > r[0])
        self.starts = [r[0] for r in self.rows]
        self.units = collections.defaultdict(set)
        for row in answer["rows"]:
            self.units[row[0]].add(row[4])
        self.lines = collections.defaultdict(set)
        for row in answer["rows"]:
            if row[3]:
                self.lines[row[2]].add(row[3])

    def names(self):
        """Names as users type them, with scopes and without. Users do not type template
        arguments or Rust's hashes."""
        if not self.typed:
            names = {re.sub(r"::h[0-9a-f]{16}$", "", f[0]) for f in self.functions}
            typed = {without_arguments(without_parameters(n)) for n in names}
            typed |= {base_name(n) for n in typed}
            self.typed = sorted(n for n in typed if not re.search(r"^[_{]*[<{]|\w:*<|\$", n))
        return self.typed

    def rows_between(self, start, end):
        return self.rows[bisect.bisect_left(self.starts, start):bisect.bisect_left(self.starts, end)]


class Choice:
    def __init__(self, inventory, count, seed):
        self.inventory = inventory
        self.count = count
        self.seed = seed
        self.draw_for("")

    def draw_for(self, kind):
        """Makes the choice for one class independent of the other classes."""
        self.random = random.Random("%s %s" % (self.seed, kind))

    def some(self, everything):
        everything = sorted(everything)
        return self.random.sample(everything, min(self.count, len(everything)))

    def questions(self):
        """The questions of each static class."""
        questions = {}
        for kind in STATIC:
            self.draw_for(kind)
            questions[kind] = getattr(self, kind)()
        return questions

    def name(self):
        return [{"name": n} for n in self.some(self.inventory.names())]

    def line(self):
        places = {(os.path.basename(f), n) for f, lines in self.inventory.lines.items() for n in lines}
        return [{"file": f, "line": n} for f, n in self.some(places)]

    def gap(self):
        """Lines near code, in files with the same base name, that have no code."""
        taken = collections.defaultdict(set)
        for file, lines in self.inventory.lines.items():
            taken[os.path.basename(file)] |= lines
        places = {(file, n) for file, lines in taken.items()
                  for n in range(max(1, min(lines) - 10), max(lines) + 10)} - \
                 {(file, n) for file, lines in taken.items() for n in lines}
        return [{"file": f, "line": n} for f, n in self.some(places)]

    def address(self):
        """Any byte in the code of a row. Twice as many as needed, because some are
        padding."""
        chosen = self.random.choices(self.inventory.rows, k=2 * self.count) if self.inventory.rows else []
        return [{"address": self.random.randrange(r[0], r[1])} for r in chosen]

    def function(self):
        names = [n for n in self.inventory.names() if quotable(n)]
        return [{"command": "image lookup -F '%s'" % n} for n in self.some(names)]

    def symbol(self):
        names = {n for _, n in self.inventory.symbols if quotable(n)}
        return [{"command": "image lookup -s '%s'" % n} for n in self.some(names)]

    def regex(self):
        """The beginning, the end or a middle part of a base name."""
        names = "\n".join({base_name(n) for n in self.inventory.names()})
        patterns = set()
        words = [w[0] for n in self.inventory.names() if (w := re.match(r"\w{5,}", base_name(n)))]
        for word in self.some(set(words)):
            start = self.random.randrange(0, len(word) - 4)
            part = word[start:start + self.random.randrange(4, 8)]
            pattern = self.random.choice(["^" + word[:6], part, word[-5:] + "$"])
            if len(re.findall(pattern, names, re.MULTILINE)) <= MAX_MATCHES:
                patterns.add(pattern)
        return [{"command": "image lookup -r -F '%s'" % p} for p in sorted(patterns)]

    def disassembly(self):
        functions = [f for f in self.inventory.outermost if f[1] - f[0] <= MAX_DISASSEMBLY]
        return [{"command": "disassemble -m -s 0x%x -e 0x%x" % (start, end)}
                for start, end, _ in self.some(functions)]

    def candidates(self):
        """Addresses at which a run could stop: some in each function."""
        self.draw_for("candidates")
        chosen = []
        for start, end, _ in self.inventory.outermost:
            rows = self.inventory.rows_between(start, end)
            chosen += self.random.sample(rows, min(ROWS_OF_FUNCTION, len(rows)))
        self.random.shuffle(chosen)
        return sorted({row[0] for row in chosen[:4000]})

    def stops(self, reached, count):
        """The commands at COUNT of the addresses that a run has REACHED."""
        self.draw_for("stops")
        stops = []
        chosen = self.random.sample(reached, min(count, len(reached)))
        for address, kind in zip(chosen, itertools.cycle(STEPS)):
            line = self.later_line(address)
            if kind == "until" and not line:
                kind = "finish"
            command = STEPS[kind] + (" %d" % line if kind == "until" else "")
            times = 1 if kind == "until" else STEPS_AT_STOP
            stops.append({"address": address, "kind": kind, "variables": True,
                          "does": [command] * times})
        return stops

    def calls(self, functions):
        """Expressions that call functions whose parameters and result are numbers."""
        self.draw_for("calls")
        calls = set()
        for _, name, _, kind in functions:
            found = re.fullmatch(NUMBERS + r" \(((?:%s(?:, )?)*)\)" % NUMBERS, kind or "")
            if found and re.fullmatch(r"\w+", name) and name != "main":
                calls.add("%s(%s)" % (name, ", ".join("1" for _ in filter(None, found[1].split(", ")))))
        return self.random.sample(sorted(calls), min(MAX_CALLS, len(calls)))

    def later_line(self, address):
        """A line with code after ADDRESS in the same function and file."""
        place = bisect.bisect_right([f[0] for f in self.inventory.outermost], address) - 1
        row = self.inventory.rows[bisect.bisect_right(self.inventory.starts, address) - 1]
        if place < 0:
            return None
        start, end, _ = self.inventory.outermost[place]
        later = sorted({r[3] for r in self.inventory.rows_between(address, end)
                        if r[2] == row[2] and r[3] > row[3]})
        return self.random.choice(later[:10]) if later else None
