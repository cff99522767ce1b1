"""Ctrl-C in convert, add_to_store and symbolize: interrupt_calls.py BINARY ARCHIVE FOLDER"""

import os
import re
import shutil
import signal
import sys
import tempfile
import threading

import lidia
import pyarrow

BINARY, ARCHIVE, FOLDER = sys.argv[1:]
OUTPUT = os.path.join(FOLDER, "out.lidia")
COUNT = 20000

# A test runner may ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
tempfile.tempdir = FOLDER


def stops(prepare, call, is_whole):
    """Whether Ctrl-C stops the call before it is done. A slow machine may finish the
    call before it sends the signal, or send it before the call begins."""
    for delay in (0.05, 0.1, 0.02, 0.2, 0.01, 0.3, 0.4, 0.5):
        prepare()
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            call()
            timer.join(60)
        except KeyboardInterrupt:
            if not is_whole():
                return True
        timer.join()
    return False


def prepare_convert():
    if os.path.exists(OUTPUT):
        os.remove(OUTPUT)


def convert():
    lidia.convert(BINARY, OUTPUT, threads=1, warnings=[])


if stops(prepare_convert, convert, lambda: os.path.exists(OUTPUT)):
    print("convert stopped")
assert [name for name in os.listdir(FOLDER) if name != "out.lidia"] == []

STORE = os.path.join(FOLDER, "store")


def stored():
    return any(name.endswith(".lidia.zst") for _, _, names in os.walk(STORE)
               for name in names)


# One archive, which takes long.
if stops(lambda: shutil.rmtree(STORE, ignore_errors=True),
         lambda: lidia.add_to_store(STORE, [BINARY], threads=1), stored):
    print("add_to_store stopped")
assert lidia.add_to_store(STORE, [BINARY]).added == 1

# Each of many build IDs opens the archive again.
IDS = [f"{number:040x}" for number in range(COUNT)]
ADDRESSES = pyarrow.array([0x40017C] * COUNT, pyarrow.uint64())
symbolizer = None


def prepare_symbolize():
    global symbolizer
    symbolizer = lidia.Symbolizer({number: ARCHIVE for number in IDS},
                                  max_archives=COUNT)


def symbolize():
    symbolizer.symbolize(pyarrow.array(IDS), ADDRESSES)


def opened():
    return int(re.search(r"(\d+) of at most \d+ archives", repr(symbolizer))[1])


if stops(prepare_symbolize, symbolize, lambda: opened() in (0, COUNT)):
    print("symbolize stopped")
# The symbolizer still works for later calls.
frames = symbolizer.lookup(IDS[0], 0x40017C)
print(frames[0].function)
