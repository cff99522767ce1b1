"""Writes a description of an archive whose names are crafted to be expensive to
demangle: hostile-names.py deep|wide|rust|d. With --rename, renames a symbol for
llvm-objcopy: hostile-names.py --rename SYMBOL KIND."""

import sys

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = "abcdefghijklmnopqrstuvwxyz"


def digits(number, base):
    """NUMBER in base BASE, as a list."""
    result = [number % base]
    while number >= base:
        number //= base
        result.insert(0, number % base)
    return result


def substitution(number):
    """The reference to part NUMBER of a C++ name: S_, S0_, ..., SZ_, S10_, ..."""
    if number == 0:
        return "S_"
    return "S" + "".join(DIGITS[d] for d in digits(number - 1, 36)) + "_"


def rust_reference(position):
    """The reference to the part of a Rust name POSITION bytes after "_R"."""
    if position == 0:
        return "B_"
    letters = DIGITS[:10] + LOWER + LOWER.upper()
    return "B" + "".join(letters[d] for d in digits(position - 1, 62)) + "_"


def d_reference(distance):
    """The reference to the part of a D name DISTANCE bytes before."""
    *first, last = digits(distance, 26)
    return "Q" + "".join(LOWER[d].upper() for d in first) + LOWER[last]


def deep():
    """Pointers to pointers to ..."""
    return "_Z1f" + "P" * 90000 + "i"


def wide():
    """A few hundred bytes of parts that each contain the previous one twice."""
    name = "_Z1f" + "1AIiE"  # A is part 0, A<int> part 1
    for i in range(40):
        part = substitution(1 + i)
        name += "S_I" + part + part + "E"
    return name


def rust():
    """The same with tuples: f<((), ()), (((), ()), ((), ())), ...>."""
    name = "INvC1a1f"
    position = len(name)
    name += "TuuE"
    for i in range(28):
        part = rust_reference(position)
        position = len(name)
        name += "T" + part + part + "E"
    return "_R" + name + "E"


def d():
    """A long identifier, and as many references to it as fit."""
    name = "_D4000" + "a" * 4000
    while len(name) < 8000:
        name += d_reference(len(name) - len("_D"))
    return name + "i"


KINDS = {kind.__name__: kind for kind in (deep, wide, rust, d)}
if sys.argv[1] == "--rename":
    print(sys.argv[2], KINDS[sys.argv[3]]())
else:
    print("Ranges:")
    name = KINDS[sys.argv[1]]()
    print(f"  - {{Start: 0x1000, Length: 16, Function: '{name}'}}")
