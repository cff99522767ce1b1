"""names.py BINARY CACHE"""

import glob
import os
import sys
import time

import lidia

binary, cache = sys.argv[1:]
print("names:", lidia.names(binary).lookup(0x400179))

maps = f"00400000-00401000 r-xp 00000000 00:00 1 {binary}\n"


def answer(process):
    frame = process.lookup(0x400179)
    print(frame.miss, frame.frames[0].function)
    print("kept", len(glob.glob(os.path.join(cache, "*.lidia"))), "archives")
    return frame


answer(lidia.Process(maps=maps, root="/", cache=cache, names_only=True))
later = lidia.Process(maps=maps, root="/", cache=cache, names_only=True, lines_later=True)
later.prepare([0x400179, 1])
for _ in range(600):
    if later.lookup(0x400179).miss is None:
        break
    time.sleep(0.1)
answer(later)

archive = lidia.convert(binary)
print("find:", [f.name for f in archive.find("chain")], [f.name for f in archive.find("ten")])
offset = archive.address_of(0x17a)
print("offset:", hex(offset) if offset else None, archive.address_of(1 << 40))

stack = lidia.current_stack()
print("named:", any("Py" in (frame.function or "") for caller in stack.frames
                    for frame in caller.frames))
print("traceback:", len(stack.format()) >= len(stack.frames) and all(line.startswith("  File ") for line in stack.format()))

for options in ({"lines_later": True}, {"vmlinux": "/vmlinux"}):
    try:
        lidia.Process(os.getpid(), **options)
    except ValueError as error:
        print("ValueError:", error)
# Without a privilege, the kernel hides its addresses.
kernel = lidia.Process(os.getpid(), kernel=True).lookup(0xffffffff81000000)
print("kernel:", kernel.module in ("[kernel]", "[unknown]"))
