"""Asks for known, unknown and missing addresses, and compares the server's counts.

usage: count-names.py SERVER BUILDID
"""

import json
import re
import sys
import urllib.request

SERVER, BUILD_ID = sys.argv[1:]


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(SERVER + path, data)).read().decode()


def counts():
    found = re.findall(r'^lidia_(names|misses)_total\{\w+="(\w+)"\} (\d+)$', ask("/metrics"), re.M)
    return {label: int(count) for _, label, count in found}


before = counts()
# Every label is there from the start, and no request adds one.
assert set(before.values()) == {0} and {"dwarf", "plt", "no_file", "no_lines"} <= set(before), before
ask("/v1/frames", {"modules": [
    {"build_id": BUILD_ID, "addresses": ["0x400197", "0x400170", 16]},
    {"build_id": "00112233", "addresses": [1, 2, 3, 4]}]})
after = counts()
assert after.keys() == before.keys()
assert after["dwarf"] == 2 and after["no_symbols"] == 1 and after["no_file"] == 4, after
assert sum(after.values()) == 7, after
