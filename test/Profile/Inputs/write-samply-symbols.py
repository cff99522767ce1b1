#!/usr/bin/env python3
"""Writes the names that samply has beside the profile of write-firefox.py.

Usage: write-samply-symbols.py OUTPUT [--other-address] [--other-library] [--hostile]

The format is that of `samply record --unstable-presymbolicate`: PrecogSymbolInfo in
samply/src/shared/symbol_precog.rs, commit 0d1c5e653d13a9649e81813ae5ce1024b6a7b0cf.
"""

import json
import sys

options = sys.argv[2:]
addresses = [[0x180, 0], [0x231, 1]]
if "--other-address" in options:
    addresses.insert(0, [0x181, 0])
symbols = [{"rva": 0x170, "size": 64, "symbol": 2,
            "frames": [{"function": 3, "file": 4, "line": 7},
                       {"function": None, "file": None, "line": None},
                       {"function": None, "file": 4, "line": 9}]},
           {"rva": 0x200, "symbol": 1}]
if "--hostile" in options:
    addresses = [1, [], [0x180], [0x180, 99], [-1, 0], [2**64, 0], [2**32, 0], ["a", "b"],
                 [0x180, 0], [0x231, 1]]
    symbols = [{"symbol": 2**40, "frames": [3, {"function": 99}, {"function": 2, "line": 2**60}]},
               {"symbol": 1, "frames": {}}]
uuid = "af534532-63fe-f764-347d-3807579ba10f"
if "--other-library" in options:
    uuid = uuid.replace("af", "ae")
library = {"debug_name": "a.out", "debug_id": uuid, "code_id": "", "symbol_table": symbols,
           "known_addresses": addresses}
with open(sys.argv[1], "w", encoding="utf-8") as output:
    json.dump({"string_table": ["UNKNOWN", "outer", "work", "inner", "/src/b.c"],
               "data": [library]}, output)
