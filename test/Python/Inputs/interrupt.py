"""Ctrl-C while archives are added to a store: interrupt.py STORE BINARIES WORK"""

import os
import shutil
import signal
import sys
import tempfile
import threading

import lidia

STORE, BINARIES, WORK = sys.argv[1:]


def files():
    return [os.path.join(folder, name)
            for folder, _, names in os.walk(STORE) for name in names]


def archives():
    return [name for name in files() if name.endswith(".lidia.zst")]


def others():
    """The files that are neither an archive nor the name or the hash of a binary."""
    return [name for name in files() if not name.endswith(".lidia.zst")
            and os.sep + ".htlhash" + os.sep not in name
            and not (os.sep + ".names" + os.sep in name
                     and name.endswith(".elf"))]


# A test runner may ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
tempfile.tempdir = WORK
# A slow machine may finish before it sends the signal.
for _ in range(10):
    shutil.rmtree(STORE)
    os.mkdir(STORE)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        print(lidia.add_to_store(STORE, [BINARIES], threads=1))
        timer.join(60)
    except KeyboardInterrupt:
        print("interrupted")
    timer.join()
    if len(archives()) < len(os.listdir(BINARIES)):
        print("before the end")
        break
assert others() == [], others()
assert os.listdir(WORK) == []
again = lidia.add_to_store(STORE, [BINARIES])
print("in all:", again.added + again.present)
