#!/usr/bin/env python3
"""Breaks each attribute of each DIE in turn, and compares all answers with those before.

    break-attributes.py PROGRAM [DWO]

Sets the bytes of one attribute to all ones, or adds one to a sibling. Only answers for functions that depend on the
DIE may change: the function that the DIE is in or describes, the functions that refer to
it or to what is in it, and for a unit's DIE the functions of the unit. Breaks the DIEs of
DWO, the .dwo file that PROGRAM names, if it is given. Of the attributes that are not
addresses of functions each $LIDIA_TEST_EVERY-th is broken. Both are ELF files of 64 bits in
little-endian order, with DWARF of 32 bits.
"""

import collections
import concurrent.futures
import os
import struct
import subprocess
import sys
import tempfile

SIZES = {0x01: 8, 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: 4, 0x10: 4, 0x11: 1,
         0x12: 2, 0x13: 4, 0x14: 8, 0x17: 4, 0x19: 0, 0x1E: 16, 0x1F: 4, 0x20: 8, 0x21: 0,
         0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4, 0x29: 1, 0x2A: 2, 0x2B: 3, 0x2C: 4}
LEBS = {0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02}
BLOCKS = {0x0A: 1, 0x03: 2, 0x04: 4}  # the sizes of their lengths
REF_ADDR, UNIT_REFERENCES = 0x10, {0x11, 0x12, 0x13, 0x14, 0x15}
STRING, BLOCK, EXPRESSION, CONSTANT = 0x08, 0x09, 0x18, 0x21
SUBPROGRAM, INLINED = 0x2E, 0x1D
SIBLING, LOW, HIGH, RANGES = 0x01, 0x11, 0x12, 0x55
REFERENCES = {0x31, 0x47, 0x49}  # DW_AT_abstract_origin, _specification, _type


def leb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def sections(data):
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<3H", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    start = headers[names][4]
    return {data[start + h[0]:data.index(b"\0", start + h[0])].decode(): h[2:6]
            for h in headers}


class DIE:
    def __init__(self, offset, tag, unit, parent):
        self.offset, self.tag, self.unit, self.parent = offset, tag, unit, parent
        self.attributes = []  # name, form, offset, size
        self.references = []


def abbreviations(data, at):
    table = {}
    while True:
        code, at = leb(data, at)
        if not code:
            return table
        tag, at = leb(data, at)
        children, at = data[at], at + 1
        specs = []
        while True:
            name, at = leb(data, at)
            form, at = leb(data, at)
            if form == CONSTANT:
                _, at = leb(data, at)
            if not name and not form:
                break
            specs.append((name, form))
        table[code] = tag, children, specs


def value_size(data, form, at):
    """Where the bytes of a value begin that can be broken without moving what follows, and
    where they and the value end."""
    if form in SIZES:
        return at, at + SIZES[form]
    if form in LEBS:
        return at, leb(data, at)[1]
    if form == STRING:
        return at, data.index(b"\0", at) + 1
    if form in BLOCKS:
        length = int.from_bytes(data[at:at + BLOCKS[form]], "little")
        at += BLOCKS[form]
    elif form in (BLOCK, EXPRESSION):
        length, at = leb(data, at)
    else:
        sys.exit(f"form {form:x} is not known")
    return at, at + length


def read_dies(data):
    found = sections(data)
    suffix = ".dwo" if ".debug_info.dwo" in found else ""
    _, _, info, size = found[".debug_info" + suffix]
    abbrev = found[".debug_abbrev" + suffix][2]
    dies, at = [], info
    while at < info + size:
        unit, (length, version) = at, struct.unpack_from("<IH", data, at)
        end = at + 4 + length
        kind = data[at + 6] if version >= 5 else 1
        table, = struct.unpack_from("<I", data, at + (8 if version >= 5 else 6))
        at += (12 if version >= 5 else 11) + (8 if kind in (4, 5) else 0)
        table, parents = abbreviations(data, abbrev + table), [None]
        while at < end:
            start, (code, at) = at, leb(data, at)
            if not code:
                parents.pop()
                continue
            tag, children, specs = table[code]
            die = DIE(start - info, tag, unit, parents[-1])
            for name, form in specs:
                begin, at = value_size(data, form, at)
                die.attributes.append((name, form, begin, at - begin))
                if name in REFERENCES and form in UNIT_REFERENCES | {REF_ADDR}:
                    target = leb(data, begin)[0] if form in LEBS else \
                        int.from_bytes(data[begin:at], "little")
                    die.references.append(target if form == REF_ADDR else
                                          unit - info + target)
            dies.append(die)
            if children:
                parents.append(die)
    return dies


def ancestors(die):
    while die is not None:
        yield die
        die = die.parent


def dependents(dies):
    """For each DIE, the functions with code whose answers may depend on it."""
    by_offset = {d.offset: d for d in dies}
    inside = collections.defaultdict(list)
    for die in dies:
        for outer in ancestors(die):
            inside[outer.offset].append(die)
    result = collections.defaultdict(set)
    for function in dies:
        names = {a[0] for a in function.attributes}
        if function.tag != SUBPROGRAM or not names & {LOW, RANGES}:
            continue
        todo, seen = list(inside[function.offset]), set()
        while todo:
            die = todo.pop()
            if die.offset in seen:
                continue
            seen.add(die.offset)
            todo += [by_offset[r] for r in die.references if r in by_offset]
            # The scopes around, and what is in an abstract function.
            todo += list(ancestors(die))
            if die.tag == SUBPROGRAM:
                todo += inside[die.offset]
        for offset in seen:
            result[offset].add(function.offset)
    return result


class Reader:
    """Reads the answers for each second byte of the code of PROGRAM."""

    def __init__(self, program, dwo):
        self.program, self.dwo = program, dwo
        with open(program, "rb") as file:
            self.contents = file.read()
        _, address, _, size = sections(self.contents)[".text"]
        self.addresses = [hex(a) for a in range(address, address + size, 2)]

    def answers(self, contents):
        """The answers if the DIEs are those of CONTENTS."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, os.path.basename(self.program))
            victim = os.path.join(folder, os.path.basename(self.dwo or self.program))
            for path, data in (program, self.contents), (victim, contents):
                with open(path, "wb") as file:
                    file.write(data)
            return self.read(program, program + ".lidia")

    def read(self, program, archive):
        made = subprocess.run(
            ["llvm-lidia", "--columns", "--source=dwarf", program, "-o", archive],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        # A file without any function left is refused.
        if made.returncode == 1 and "name no code" in made.stderr:
            return [""] * len(self.addresses)
        if made.returncode:
            sys.exit(made.stderr)
        text = subprocess.run(["llvm-lidia", "lookup", archive, *self.addresses],
                              stdout=subprocess.PIPE, check=True, text=True).stdout
        return text.split("\n\n")[:len(self.addresses)]


def broken(data, form, at, size, adds_one):
    changed = bytearray(data)
    if adds_one:
        value = int.from_bytes(data[at:at + size], "little") + 1
        changed[at:at + size] = value.to_bytes(size, "little")
        return bytes(changed)
    changed[at:at + size] = b"\xff" * size
    if form in LEBS:
        changed[at + size - 1] = 0x7F
    if form == STRING:
        changed[at + size - 1] = 0
    return bytes(changed)


def check(program, dwo):
    with open(dwo or program, "rb") as file:
        data = file.read()
    reader = Reader(program, dwo)
    before = reader.answers(data)
    dies = read_dies(data)
    owners = dependents(dies)
    tasks = [(d, a, False) for d in dies for a in d.attributes if a[3]]
    tasks += [(d, a, True) for d, a, _ in tasks if a[0] == SIBLING]
    every = int(os.environ.get("LIDIA_TEST_EVERY", "1"))
    tasks = [t for i, t in enumerate(tasks) if i % every == 0 or
             t[0].tag == SUBPROGRAM and t[1][0] in (LOW, RANGES)]

    def changes(task):
        _, (_, form, at, size), adds_one = task
        after = reader.answers(broken(data, form, at, size, adds_one))
        return {i for i, text in enumerate(after) if text != before[i]}

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        changed = list(pool.map(changes, tasks))
    # A function has the answers that are lost with its address. A function that is too
    # long may take the padding after it.
    named = {i for i, text in enumerate(before) if not text.startswith("??")}
    code = collections.defaultdict(set)
    for (die, (name, *_), _), places in zip(tasks, changed):
        if die.tag == SUBPROGRAM and name in (LOW, RANGES):
            code[die.offset] |= places & named
    bad = 0
    for first in code:
        for second in code:
            common = code[first] & code[second]
            if first < second and common:
                bad += 1
                print(f"0x{first:x} and 0x{second:x} both lose "
                      f"{reader.addresses[min(common)]}")
    unit_of = {d.offset: d.unit for d in dies}
    for (die, (name, *_), _), places in zip(tasks, changed):
        # A unit's DIE costs the functions of the unit, and those that refer to it.
        others = set().union(*(code[f] for f in code if f not in owners[die.offset] and
                               (die.parent or unit_of[f] != die.unit)))
        if places & others:
            bad += 1
            print(f"DIE 0x{die.offset:x}, attribute 0x{name:x}: "
                  f"{reader.addresses[min(places & others)]} changes")
    print(f"{len(tasks)} broken attributes, {len(code)} functions with code, {bad} wrong")
    return bad == 0 and len(code) > 1


def main():
    program = sys.argv[1]
    dwo = sys.argv[2] if len(sys.argv) > 2 else None
    sys.exit(not check(program, dwo))


main()
