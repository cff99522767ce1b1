#!/usr/bin/env python3
"""Writes perf script's text for a process that maps N files and is forked N times; each
fork maps one more file: write-forks.py N"""

import sys

count = int(sys.argv[1])
for i in range(count):
    print(f"a 1/1 1.0: PERF_RECORD_MMAP2 1/1: [{i * 4096:#x}(0x1000) @ 0 0:0 0 0]: r-xp /{i}")
for i in range(2, count):
    print(f"a {i}/{i} 1.0: PERF_RECORD_FORK({i}:{i}):(1:1)")
    print(f"a {i}/{i} 1.0: PERF_RECORD_MMAP2 {i}/{i}: [0x0(0x1000) @ 0 0:0 0 0]: r-xp /new")
print("last 1/1 2.0: 1 cycles:\n\t10 f (/0)\n")
