"""Runs llvm-lidia on damaged copies of a file and expects it to survive.

usage: truncate.py TOOL FILE SCRATCH (--step N | --flip COUNT)

--step cuts the file after each Nth byte; --flip changes COUNT single bytes, the
same ones each time. Of these cases each $LIDIA_TEST_EVERY-th is tried. Each run must end within 60 seconds with status 0 and an
archive that `TOOL verify` accepts, or with status 1, a message that names the
file, and no archive.
"""

import argparse
import os
import random
import subprocess
import sys


def run(*command):
    return subprocess.run(
        command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL
    )


def survives(tool, data, scratch, what):
    binary, archive = scratch + ".in", scratch + ".lidia"
    with open(binary, "wb") as f:
        f.write(data)
    if os.path.exists(archive):
        os.remove(archive)
    made = run(tool, "--crc", "--lines", binary, "-o", archive)
    message = made.stderr.decode(errors="replace")
    if made.returncode == 0:
        verified = run(tool, "verify", "--crc", archive)
        if verified.returncode == 0:
            return True
        message = verified.stderr.decode(errors="replace")
    elif made.returncode == 1:
        if binary in message and not os.path.exists(archive):
            return True
        message += "\n(no file named, or an archive left behind)"
    print(f"{what}: status {made.returncode}: {message}", file=sys.stderr)
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("file")
    parser.add_argument("scratch")
    parser.add_argument("--step", type=int)
    parser.add_argument("--flip", type=int)
    args = parser.parse_args()
    with open(args.file, "rb") as f:
        data = f.read()

    fine = True
    every = int(os.environ.get("LIDIA_TEST_EVERY", "1"))
    if args.step:
        for size in range(0, len(data), args.step * every):
            fine &= survives(
                args.tool, data[:size], args.scratch, f"{args.file}, {size} bytes"
            )
    if args.flip:
        # random.Random(n).random() is the same in all Python versions.
        rng = random.Random(1)
        for _ in range(args.flip // every):
            at = int(rng.random() * len(data))
            bits = 1 + int(rng.random() * 255)
            flipped = data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]
            fine &= survives(
                args.tool, flipped, args.scratch, f"{args.file}, {at}^{bits:#x}"
            )
    return 0 if fine else 1


sys.exit(main())
