#!/usr/bin/env python3
"""Runs a command and prints how often it opened a file.

    count-opens.py FILE COMMAND..."""

import ctypes
import os
import subprocess
import sys

IN_OPEN = 0x20
EVENT = 16  # bytes, without a name


def main(file, command):
    libc = ctypes.CDLL(None, use_errno=True)
    queue = libc.inotify_init1(os.O_NONBLOCK)
    # An event equal to the previous one is merged with it unless that was read before.
    assert libc.inotify_add_watch(queue, os.fsencode(file), IN_OPEN) >= 0
    count = 0
    with subprocess.Popen(command) as process:
        while True:
            ended = process.poll() is not None
            try:
                count += len(os.read(queue, 4096)) // EVENT
            except BlockingIOError:
                if ended:
                    break
    print("opened:", count)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
