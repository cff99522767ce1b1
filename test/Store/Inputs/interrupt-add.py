#!/usr/bin/env python3
"""Interrupts "store add", and checks the remaining files.

    interrupt-add.py STORE SIGN INPUTS

The signal is sent when the file SIGN exists or, if it is a folder, when it contains an
archive. The temporary files are in the folder "tmp", and none of them may remain."""

import os
import re
import signal
import subprocess
import sys
import time

LIMIT = 60


def is_time(sign):
    if os.path.isdir(sign):
        return any(name.endswith(".lidia.zst") for _, _, files in os.walk(sign)
                   for name in files)
    return os.path.exists(sign)


def interrupt(store, sign, inputs, number):
    with subprocess.Popen(["llvm-lidia", "store", "add", store, inputs],
                          env={**os.environ, "TMPDIR": os.path.abspath("tmp")},
                          stderr=subprocess.PIPE) as adder:
        end = time.monotonic() + LIMIT
        while not is_time(sign):
            assert time.monotonic() < end and adder.poll() is None, "it has ended"
            time.sleep(0.001)
        adder.send_signal(number)
        errors = adder.communicate(timeout=LIMIT)[1]
    assert adder.returncode == -number, (adder.returncode, errors)
    assert not errors, errors
    assert os.listdir("tmp") == [], os.listdir("tmp")


def archives(store):
    out = subprocess.run(["llvm-lidia", "store", "list", store], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    return re.findall(r"^[0-9a-f]{8,} ", out, re.MULTILINE)


def main(store, sign, inputs):
    # A test runner may ignore SIGINT, and commands inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.makedirs("tmp", exist_ok=True)
    # The timing of threads differs from run to run.
    for number in (signal.SIGINT, signal.SIGTERM) * (8 if os.path.isdir(sign) else 1):
        interrupt(store, sign, inputs, number)
        subprocess.run(["llvm-lidia", "store", "verify", store], check=True)
        left = [name for folder, _, files in os.walk(sign) for name in files
                if not name.endswith(".lidia.zst") and ".names" not in folder
                and ".htlhash" not in folder]
        assert not left, left
        print(len(archives(store)), "archives when interrupted")
        if os.path.isdir(sign):
            subprocess.run(["llvm-lidia", "store", "prune", "--max-size=0", store],
                           check=True)
        else:
            os.remove(sign)


if __name__ == "__main__":
    main(*sys.argv[1:])
