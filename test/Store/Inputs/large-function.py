#!/usr/bin/env python3
"""large-function.py - describes an archive of one large function in YAML, for
yaml2lidia.

It has 45,000 functions of 16 bytes from 0x10000 on, in which nothing is looked up, and
then a function with a call inlined into each of 70,000 times 16 bytes. So the
function's range and its link are far from those of a call, and from all data that is
fetched to open the archive."""

BEFORE, CALLS = 45000, 70000
BASE = 0x10000

print("Ranges:")
for n in range(BEFORE):
    print(f"  - {{Start: {BASE + 16 * n}, Length: 16, Function: before}}")
start = BASE + 16 * BEFORE
print(f"  - {{Start: {start}, Length: {16 * CALLS}, Function: outer, File: /src/outer.c,"
      " Rows: [{Offset: 0, Line: 1}]}")
for n in range(CALLS):
    print(f"  - {{Start: {start + 16 * n + 4}, Length: 8, Depth: 1, Function: inner_{n},"
          f" File: /src/inner.c, CallFile: /src/outer.c, CallLine: {n + 2},"
          f" Rows: [{{Offset: 0, Line: {n + 1}}}]}}")
