"""Ctrl-C while archives are added to a store: interrupt.py STORE BINARIES WORK"""

import os
import signal
import sys
import tempfile
import threading

import lidia

STORE, BINARIES, WORK = sys.argv[1:]


def archives():
    return [name for _, _, files in os.walk(STORE) for name in files]


# A test's runner may ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
tempfile.tempdir = WORK
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    print(lidia.add_to_store(STORE, [BINARIES], threads=1))
except KeyboardInterrupt:
    print("interrupted before the end:", len(archives()) < len(os.listdir(BINARIES)))
assert not [name for name in archives() if not name.endswith(".lidia.zst")], archives()
assert os.listdir(WORK) == []
again = lidia.add_to_store(STORE, [BINARIES])
print("in all:", again.added + again.present)
