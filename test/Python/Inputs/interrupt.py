"""Ctrl-C while archives are added to a store: interrupt.py STORE BINARIES WORK"""

import os
import shutil
import signal
import sys
import tempfile
import threading

import lidia

STORE, BINARIES, WORK = sys.argv[1:]


def archives():
    return [name for _, _, files in os.walk(STORE) for name in files]


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
assert not [name for name in archives() if not name.endswith(".lidia.zst")], archives()
assert os.listdir(WORK) == []
again = lidia.add_to_store(STORE, [BINARIES])
print("in all:", again.added + again.present)
