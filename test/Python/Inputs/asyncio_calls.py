"""Calls in tasks of asyncio: asyncio_calls.py BINARY ARCHIVE FOLDER"""

import asyncio
import os
import shutil
import signal
import sys
import threading
import time

import lidia
import pyarrow

BINARY, ARCHIVE, FOLDER = sys.argv[1:]
OUTPUT = os.path.join(FOLDER, "out.lidia")
STORE = os.path.join(FOLDER, "store")
COUNT = 20000
IDS = pyarrow.array([f"{number:040x}" for number in range(COUNT)])
ADDRESSES = pyarrow.array([0x40017C] * COUNT, pyarrow.uint64())
DELAYS = (0.1, 0.05, 0.2, 0.02, 0.4)


def convert():
    lidia.convert(BINARY, OUTPUT, threads=1, warnings=[])


def add():
    lidia.add_to_store(STORE, [BINARY], threads=1)


def made():
    """The archives in FOLDER, and what there is of them."""
    return [name for _, _, names in os.walk(FOLDER) for name in names
            if ".lidia" in name and name != "a.lidia"]


def remove_made():
    if os.path.exists(OUTPUT):
        os.remove(OUTPUT)
    shutil.rmtree(STORE, ignore_errors=True)


async def is_cancelled_in_queue():
    """Whether a call that waits for a thread ends at once."""
    others = [asyncio.create_task(asyncio.to_thread(time.sleep, 3)) for _ in range(64)]
    await asyncio.sleep(0.1)
    begin = time.monotonic()
    try:
        await asyncio.wait_for(lidia.to_thread(len, []), 0.1)
        return False
    except asyncio.TimeoutError:
        return time.monotonic() - begin < 2
    finally:
        for other in others:
            other.cancel()


def stops():
    raise StopIteration


async def turns(task):
    """How often the loop turns until TASK is done."""
    count = 0
    while not task.done():
        await asyncio.sleep(0.01)
        count += 1
    return count


async def is_cancelled(call):
    """Whether CALL, cancelled soon, does so before its end. A slow machine may be done
    before it sends the signal."""
    for delay in DELAYS:
        ended = False

        def whole():
            nonlocal ended
            call()
            ended = True

        task = asyncio.create_task(lidia.to_thread(whole))
        await asyncio.sleep(delay)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            # The thread has ended, too.
            if not ended and not made():
                return True
        remove_made()
    return False


async def main():
    task = asyncio.create_task(lidia.to_thread(convert))
    if await turns(task) > 3:
        print("the loop runs")
    remove_made()
    if await is_cancelled(convert):
        print("convert is cancelled")
    if await is_cancelled(add):
        print("add_to_store is cancelled")
    symbolizer = lidia.Symbolizer({number: ARCHIVE for number in IDS.to_pylist()},
                                  max_archives=COUNT)
    if await is_cancelled(lambda: symbolizer.symbolize(IDS, ADDRESSES)):
        print("symbolize is cancelled")
    if await is_cancelled_in_queue():
        print("a call that waits for a thread is cancelled")


# A test runner may ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
asyncio.run(main())
for delay in DELAYS:
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        asyncio.run(lidia.to_thread(convert))
        timer.join(60)
    except KeyboardInterrupt:
        if not made():
            print("Ctrl-C")
            break
    timer.join()
    remove_made()
for call in (lambda: lidia.Archive("missing"), stops):
    try:
        asyncio.run(lidia.to_thread(call))
    except (FileNotFoundError, RuntimeError) as error:
        print(type(error).__name__)
