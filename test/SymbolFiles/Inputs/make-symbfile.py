"""Writes a symbfile, or another file of protobuf messages after their lengths and types.

usage: make-symbfile.py FILE < RECORDS

Each line of RECORDS is the type of a message and a Python dictionary of its fields, by
number. A value is a number, a tuple with a number (of the type sint64), a text, a list of
numbers (packed) or texts, or a dictionary: a message.
"""

import ast
import sys


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


def field(tag, value):
    if isinstance(value, tuple):
        value = 2 * value[0] if value[0] >= 0 else -2 * value[0] - 1
    if isinstance(value, int):
        return varint(tag << 3) + varint(value)
    if isinstance(value, list) and value and isinstance(value[0], str):
        return b"".join(field(tag, text) for text in value)
    if isinstance(value, list):
        data = b"".join(map(varint, value))
    else:
        data = message(value) if isinstance(value, dict) else value.encode()
    return varint(tag << 3 | 2) + varint(len(data)) + data


def message(fields):
    return b"".join(field(tag, value) for tag, value in fields.items())


with open(sys.argv[1], "wb") as file:
    file.write(b"symbfile\0\1")
    for line in sys.stdin:
        kind, _, fields = line.partition(" ")
        if fields:
            data = message(ast.literal_eval(fields))
            file.write(varint(len(data)) + varint(int(kind)) + data)
