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


def added(path, body=None, **headers):
    """What the counts grow by."""
    before = counts()
    urllib.request.urlopen(urllib.request.Request(SERVER + path, body, headers)).read()
    return {label: count - before[label] for label, count in counts().items()
            if count != before[label]}


# Tables of Arrow and whole files count as JSON does.
TABLE = {"Accept": "application/vnd.apache.arrow.stream"}
found = added(f"/v1/frames?build_id={BUILD_ID}&address=0x400197&address=16", **TABLE)
assert found == {"dwarf": 1, "no_symbols": 1}, found
found = added("/v1/frames?build_id=00112233&address=16", **TABLE)
assert found == {"no_file": 1}, found
LOG = f"""    #0 0x400197  (/usr/bin/a.out+0x197) (BuildId: {BUILD_ID})
    #1 0x400197  (/usr/bin/other+0x197) (BuildId: 00112233445566778899)
"""
found = added("/v1/symbolize", LOG.encode())
assert found.get("no_file") == 1 and sum(found.values()) == 2, found
