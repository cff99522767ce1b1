#!/usr/bin/env python3
"""Writes a pprof profile from a description: write-pprof.py [--gzip] OUTPUT < TEXT

Each line is a field of the message Profile (profile.proto of github.com/google/pprof):
its name or number, followed by its value: a number, a quoted string, or the fields of a
message in braces. "hex" is followed by bytes that are written unchanged. A number in
brackets is packed with its neighbours. '#' begins a comment. For example

    sample_type { type 1 unit 2 }
    mapping { id 1 memory_start 0x200000 memory_limit 0x201000 filename 3 }
    string_table ""
    hex 0a05      # a field that is cut off
    repeat 1000 location { id 1 }
"""

import collections
import gzip
import re
import sys

PROFILE = {"sample_type": 1, "sample": 2, "mapping": 3, "location": 4, "function": 5,
           "string_table": 6, "drop_frames": 7, "keep_frames": 8, "time_nanos": 9,
           "duration_nanos": 10, "period_type": 11, "period": 12, "comment": 13,
           "default_sample_type": 14}
NESTED = {
    "sample_type": {"type": 1, "unit": 2},
    "period_type": {"type": 1, "unit": 2},
    "sample": {"location_id": 1, "value": 2, "label": 3},
    "label": {"key": 1, "str": 2, "num": 3, "num_unit": 4},
    "mapping": {"id": 1, "memory_start": 2, "memory_limit": 3, "file_offset": 4,
                "filename": 5, "build_id": 6, "has_functions": 7, "has_filenames": 8,
                "has_line_numbers": 9, "has_inline_frames": 10},
    "location": {"id": 1, "mapping_id": 2, "address": 3, "line": 4, "is_folded": 5},
    "line": {"function_id": 1, "line": 2, "column": 3},
    "function": {"id": 1, "name": 2, "system_name": 3, "filename": 4, "start_line": 5},
}
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}\[\]])|#.*|([^\s{}\[\]"#]+)')


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def with_length(tag, data):
    return varint(tag << 3 | 2) + varint(len(data)) + data


def fields(tokens, names):
    """Reads fields up to the closing brace or the end."""
    out = b""
    while tokens:
        kind, name = tokens.popleft()
        if (kind, name) == ("mark", "}"):
            return out
        times = 1
        if name == "repeat":
            times = int(tokens.popleft()[1], 0)
            kind, name = tokens.popleft()
        if name == "hex":
            out += bytes.fromhex(tokens.popleft()[1]) * times
            continue
        tag = names[name] if name in names else int(name, 0)
        kind, value = tokens.popleft()
        if kind == "string":
            field = with_length(tag, value)
        elif value == "{":
            field = with_length(tag, fields(tokens, NESTED.get(name, {})))
        elif value == "[":
            packed = b""
            while tokens[0] != ("mark", "]"):
                packed += varint(int(tokens.popleft()[1], 0))
            tokens.popleft()
            field = with_length(tag, packed)
        else:
            field = varint(tag << 3) + varint(int(value, 0))
        out += field * times
    return out


tokens = collections.deque()
for match in TOKEN.finditer(sys.stdin.read()):
    string, mark, word = match.groups()
    if string is not None:
        tokens.append(("string", string.encode().decode("unicode_escape")
                       .encode("latin-1")))
    elif mark:
        tokens.append(("mark", mark))
    elif word:
        tokens.append(("word", word))
data = fields(tokens, PROFILE)
if sys.argv[1] == "--gzip":
    data = gzip.compress(data, mtime=0)
with open(sys.argv[-1], "wb") as file:
    file.write(data)
