#!/usr/bin/env python3
"""Prints what a pprof profile says, as "go tool pprof -raw" does, with names instead of the
numbers of the table of strings: raw-pprof.py PROFILE"""

import gzip
import sys

MESSAGES = {1: {}, 2: {3: {}}, 3: {}, 4: {4: {}}, 5: {}, 11: {}}
STRINGS = {(1,): (1, 2), (11,): (1, 2), (3,): (5, 6), (5,): (2, 3, 4), (2, 3): (1, 2, 4)}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def show(path, message):
    parts = []
    for tag, value in fields(message):
        if path + (tag,) in NESTED:
            value = "{%s}" % show(path + (tag,), value)
        elif isinstance(value, bytes):
            # A packed array.
            at, numbers = 0, []
            while at < len(value):
                number, at = varint(value, at)
                numbers.append(number)
            value = numbers
        elif path == (2,):
            value = [value]
        elif tag in STRINGS.get(path, ()):
            value = strings[value]
        if value:
            parts.append((tag, "%d:%s" % (tag, value)))
        if len(parts) > 1 and path == (2,) and parts[-2][0] == tag and tag < 3:
            # An array that is not packed.
            parts[-2:] = [(tag, parts[-2][1][:-1] + ", " + parts[-1][1].split("[")[1])]
    # Fields of one number stay in their order.
    return " ".join(text for _, text in sorted(parts, key=lambda part: part[0]))


NESTED = {(2, 3), (4, 4)}
data = open(sys.argv[1], "rb").read()
data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
found = list(fields(data))
strings = [value.decode() for tag, value in found if tag == 6]
lines = []
for tag, value in found:
    if tag in (1, 2, 3, 4, 5, 11):
        lines.append((tag, "%d{%s}" % (tag, show((tag,), value))))
    elif tag not in (6, 14) and value:
        lines.append((tag, "%d:%s" % (tag, value)))
# The last type is the default unless the file names another.
types = [dict(fields(value))[1] for tag, value in found if tag == 1]
default = next((value for tag, value in found if tag == 14), types[-1])
lines.append((14, "14:" + strings[default]))
print("\n".join(text for _, text in sorted(lines, key=lambda line: line[0])))
