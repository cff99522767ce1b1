"""Describes a core (make-core.py) with 40 stacks of 256 KiB, of which 1 KiB is in use.

usage: many-stacks.py [joined]

A guard is between two stacks or, with "joined", nothing.
"""

import sys

THREADS, SIZE, USED = 40, 256 * 1024, 1024
STEP = SIZE + (0 if sys.argv[1:] else 4096)
BASE = 0x7F8000000000

print("machine x86-64")
for i in range(THREADS):
    sp = BASE + i * STEP + SIZE - USED
    print(f"thread {1001 + i} 11 pc=0x7f0000002190 sp={sp} fp={sp + 64}")
print("file 0x7f0000000000 0x7f0000001000 0 /lib/layout.so")
print("file 0x7f0000002000 0x7f0000003000 0x1000 /lib/layout.so")
print("file 0x7f0000005000 0x7f0000006000 0x1000 /lib/layout.so")
print("dump 0x7f0000000000 0x7f0000001000 r-- lib/layout.so")
print("absent 0x7f0000002000 0x7f0000003000 r-x")
print("absent 0x7f0000005000 0x7f0000006000 r-x")
if STEP == SIZE:
    print(f"dump {BASE} {BASE + THREADS * SIZE} rw-")
else:
    for i in range(THREADS):
        print(f"dump {BASE + i * STEP} {BASE + i * STEP + SIZE} rw-")
for i in range(THREADS):
    print(f"words {BASE + i * STEP + SIZE - USED + 64} 0 0x7f0000005320")
