"""Writes the map of its compiled code as a file of 16 GiB that takes one page on disk,
prints an address in it, and waits."""

import ctypes
import mmap
import os
import time

memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                   prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
with open("/tmp/perf-%d.map" % os.getpid(), "w") as file:
    file.write("%x 100 compiled\n" % address)
    file.truncate(1 << 34)
print(hex(address), flush=True)
time.sleep(60)
