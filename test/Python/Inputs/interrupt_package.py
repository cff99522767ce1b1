"""Ctrl-C while a package is read that takes long: interrupt_package.py FOLDER"""

import os
import signal
import sys
import tarfile
import threading
import time

import lidia

FOLDER = sys.argv[1]
PACKAGE = os.path.join(FOLDER, "package.tar")
os.mkdir(FOLDER)
with open(PACKAGE, "wb") as file:
    # Zeros that take no space.
    entry = tarfile.TarInfo("zeros")
    entry.size = 64 << 30
    file.write(entry.tobuf())
    file.truncate(entry.size + 2048)
signal.signal(signal.SIGINT, signal.default_int_handler)
sent = 0.0


def interrupt():
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)


timer = threading.Timer(0.2, interrupt)
try:
    timer.start()
    lidia.add_to_store(os.path.join(FOLDER, "store"), [PACKAGE])
    timer.join()
except KeyboardInterrupt:
    # It is due after 0.2 seconds; the machine may have other work.
    print("soon" if time.monotonic() - sent < 10 else "late")
os.remove(PACKAGE)
