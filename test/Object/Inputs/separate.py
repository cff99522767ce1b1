"""Makes a module without DWARF, as emscripten's -gseparate-dwarf does.

usage: separate.py MODULE OUT NAME

OUT has the sections of MODULE, without those of DWARF, and external_debug_info, which
says that they are in NAME.
"""

import sys


def leb(number):
    out = bytearray()
    while True:
        out.append(number & 127 | (128 if number > 127 else 0))
        number >>= 7
        if not number:
            return bytes(out)


def read_leb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def text(string):
    return leb(len(string)) + string


module, out, name = sys.argv[1:]
with open(module, "rb") as f:
    data = f.read()
result, at = data[:8], 8
while at < len(data):
    kind = data[at]
    size, begin = read_leb(data, at + 1)
    body = data[begin:begin + size]
    length, start = read_leb(body, 0) if kind == 0 else (0, 0)
    if not body[start:start + length].startswith(b".debug_"):
        result += data[at:begin + size]
    at = begin + size
body = text(b"external_debug_info") + text(name.encode())
with open(out, "wb") as f:
    f.write(result + b"\0" + text(body))
