#!/usr/bin/env python3
"""large-archive.py - describes an archive of about 700 KB in YAML, for yaml2lidia.

It has functions of 16 bytes from 0x10000 on, each with an inlined call, rows and its
own name, so that a lookup needs parts from all over the archive. Function N is in file
N/100."""

print("Checksums: true")
print("Ranges:")
for n in range(8000):
    start = 0x10000 + 16 * n
    file = f"/src/file{n // 100}.c"
    print(f"  - {{Start: {start}, Length: 16, Function: outer_{n}, File: {file},"
          f" Rows: [{{Offset: 0, Line: {n % 1000 + 1}}}]}}")
    print(f"  - {{Start: {start + 4}, Length: 8, Depth: 1, Function: inner_{n},"
          f" File: {file}, CallFile: {file}, CallLine: {n % 1000 + 2},"
          f" Rows: [{{Offset: 0, Line: {n % 1000 + 3}}}]}}")
