#!/usr/bin/env python3
"""Prints the fields of a pprof profile in file order, each with its number, including
unknown fields: dump-pprof.py PROFILE

Prints fields with a length as messages if they are those of profile.proto, and as text
otherwise. All their bytes are printed, so equal dumps come from equal files."""

import gzip
import sys

MESSAGES = {1: {}, 2: {3: {}}, 3: {}, 4: {4: {}}, 5: {}, 11: {}}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def show(data, messages):
    parts = []
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        tag, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
            text = "%d:%s" % (tag, hex(value) if value > 4095 else value)
        elif kind == 2:
            size, at = varint(data, at)
            content, at = data[at:at + size], at + size
            text = ("%d{%s}" % (tag, " ".join(show(content, messages[tag])))
                    if tag in messages else "%d:%r" % (tag, content))
        else:
            size = {1: 8, 5: 4}[kind]
            text, at = "%d:%s" % (tag, data[at:at + size].hex()), at + size
        parts.append(text)
    return parts


with open(sys.argv[1], "rb") as file:
    data = file.read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)
print("\n".join(show(data, MESSAGES)))
