"""Writes perf script's text for one sample of low-program.yaml.

    write-low-script.py [--version V] [--no-maps] [--single N] FRAME...

A frame is a number, or a number, a colon and its file. With --single, a second sample
has an address and no stack.
"""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--version")
parser.add_argument("--no-maps", action="store_true")
parser.add_argument("--single")
parser.add_argument("--symbol", default="[unknown]")
parser.add_argument("frames", nargs="+")
args = parser.parse_args()
if args.version:
    print("# perf version :", args.version)
if not args.no_maps:
    print("low 12/12 1.0: PERF_RECORD_MMAP2 12/12: "
          "[0x2000(0x2000) @ 0x1000 fe:00 2 3]: r-xp /low")
print("low 12/12 1.1:   10101010 cpu-clock: ")
for frame in args.frames:
    number, _, file = frame.partition(":")
    print("\t%16s %s (%s)" % (number, args.symbol, file or "/low"))
print()
if args.single:
    print("low 12/12 1.2:   20202020 cpu-clock: %s (/low)" % args.single)
