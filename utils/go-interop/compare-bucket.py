#!/usr/bin/env python3
"""Asks Pyroscope's reader for what "store add --layout=pyroscope" has written.

    compare-bucket.py [--addresses N] [--folder FOLDER] BINARY...

Writes the archives of the binaries as Pyroscope's symbolizer looks for them, and asks
Lidia's Go library, with checksums, for N random addresses of the code of each (10,000
unless another number is given), one in a hundred beside it. The functions, with inlined
calls, must be those that our reader finds in the archive, and those that `llvm-lidia
lookup` prints, demangled, for the binary itself; the files must be those of the ranges
(compare.py). llvm-lidia and go-reader are found on the PATH.

Prints a line for each binary. The exit status is 1 if there is a difference.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import compare


def ask_for_binary(binary, addresses):
    """The functions of each address, innermost first, from all that is known of BINARY."""
    out = compare.run("llvm-lidia", "lookup", "--output-style=JSON", "--no-cache", binary,
                      input="".join(f"{a:#x}\n" for a in addresses))
    return [[frame["FunctionName"] for frame in compare.json.loads(line)["Symbol"]]
            for line in out.splitlines()]


def compare_binary(bucket, binary, count):
    """Returns the numbers of addresses, frames, and differences."""
    subprocess.run(["llvm-lidia", "store", "add", "-q", "--layout=pyroscope", bucket, binary],
                   check=True)
    [name] = os.listdir(os.path.join(bucket, "symbolizer", "anonymous"))
    archive = os.path.join(bucket, "symbolizer", "anonymous", name)
    ranges = compare.read_ranges(archive)
    addresses = compare.pick_addresses(ranges, count)
    starts = [start for start, _, _, _ in ranges]
    go = compare.ask_go(archive, addresses, crc=True)
    ours = compare.ask_llvm_lidia(archive, addresses, crc=True)
    known = ask_for_binary(binary, addresses)
    differences = frames = 0
    for address, functions in zip(addresses, known, strict=True):
        theirs = [function for function, _ in go[address]]
        frames += len(theirs)
        if (theirs == [function for function, _ in ours[address]]
                and (theirs or [""]) == functions
                and compare.is_as_dumped(ranges, starts, address, go[address])):
            continue
        differences += 1
        if differences <= 2:
            print(f"{binary}: {address:#x}:\n  Go:      {go[address]}\n"
                  f"  ours:    {ours[address]}\n  binary:  {functions}")
    os.remove(archive)
    return len(addresses), frames, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--addresses", type=int, default=10000)
    parser.add_argument("--folder", help="for the archives; a temporary one by default")
    parser.add_argument("binaries", nargs="+", metavar="BINARY")
    args = parser.parse_args()
    sums = [0, 0, 0]
    with tempfile.TemporaryDirectory(dir=args.folder) as bucket:
        for binary in args.binaries:
            counts = compare_binary(bucket, binary, args.addresses)
            print(f"{os.path.basename(binary)}: {counts[0]} addresses, {counts[1]} frames, "
                  f"{counts[2]} differences")
            sums = [a + b for a, b in zip(sums, counts)]
    print(f"{len(args.binaries)} binaries: {sums[0]} addresses, {sums[1]} frames, "
          f"{sums[2]} differences")
    return 1 if sums[2] or not sums[1] else 0


if __name__ == "__main__":
    sys.exit(main())
