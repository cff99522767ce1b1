"""damage-headers.py FILE OUT [PLACE...]: writes copies of FILE with one error each.

OUT/1, OUT/2, ... are the file truncated at 64 places; and copies with each four-byte
word of its first 512 bytes and of the 256 bytes at each PLACE set to 0, 0x7fffffff and
0xffffffff.
"""

import os
import sys

path, out, *places = sys.argv[1:]
data = open(path, "rb").read()
os.makedirs(out, exist_ok=True)
count = 0


def write(damaged):
    global count
    count += 1
    with open(os.path.join(out, str(count)), "wb") as f:
        f.write(damaged)


for part in range(64):
    write(data[: len(data) * part // 64])
for start, size in [(0, 512), *((int(p, 0), 256) for p in places)]:
    for at in range(start, min(start + size, len(data) - 4), 4):
        for value in (0, 0x7FFFFFFF, 0xFFFFFFFF):
            word = value.to_bytes(4, "little")
            if data[at : at + 4] != word:
                write(data[:at] + word + data[at + 4 :])
