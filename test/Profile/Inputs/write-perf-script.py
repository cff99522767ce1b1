"""Writes perf script's text with a sample in each of the named files.

usage: write-perf-script.py NAME...
"""

import sys

for name in sys.argv[1:]:
    print(f"{name} 1/1 1.0: 1000 cpu-clock:\n\t10 f+0x10 (/{name})\n")
