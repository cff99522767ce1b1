#!/usr/bin/env python3
"""Asks `llvm-lidia symbolize` for one address in each of COUNT archives of a new
store in FOLDER, and prints the maximum number of archives that it had mapped.

    count-open.py FOLDER COUNT"""

import os
import subprocess
import sys

YAML = """Info: {BuildID: %s}
Ranges:
- {Start: 0x1000, Length: 16, Function: f%d, File: a.c}
""" + "".join(f"- {{Start: {0x2000 + 16 * i}, Length: 16, Function: g{i}_{64 * 'x'}, File: a.c}}\n"
              for i in range(300))  # Small files are not mapped.


def make(folder, number):
    """Makes a plain archive. Returns its build ID."""
    build_id = "%040x" % (number + 0x11223344 << 64)
    place = os.path.join(folder, ".build-id", build_id[:2])
    os.makedirs(place, exist_ok=True)
    archive = os.path.join(place, build_id[2:] + ".lidia")
    subprocess.run(["yaml2lidia", "-", "-o", archive], text=True, check=True,
                   input=YAML % (build_id, number))
    return build_id


def mapped(process):
    with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
        return sum(".lidia" in line for line in maps)


def main(folder, count):
    ids = [make(folder, number) for number in range(int(count))]
    most = 0
    with subprocess.Popen(["llvm-lidia", "symbolize", "--no-inlines", "--store", folder], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for number, build_id in enumerate(ids):
            process.stdin.write(f"BUILDID:{build_id} 0x1004\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            assert answer == f"f{number}\n", answer
            while process.stdout.readline() != "\n":
                pass
            most = max(most, mapped(process))
        process.stdin.close()
    print("mapped at a time:", most)


if __name__ == "__main__":
    main(*sys.argv[1:])
