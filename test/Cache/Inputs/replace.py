"""Writes a copy of an ELF file with another build ID, name or code."""

import subprocess
import sys

source, target, what = sys.argv[1:]
data = open(source, "rb").read()
if what == "name":
    old, new = b"\0nine\0", b"\0NINE\0"
elif what == "code":
    subprocess.run(["llvm-objcopy", "--dump-section=.text=" + target, source], check=True)
    old = open(target, "rb").read()
    new = bytes(byte ^ 0xFF for byte in old)
else:
    notes = subprocess.run(
        ["llvm-readelf", "--notes", source], check=True, capture_output=True, text=True
    ).stdout
    old = bytes.fromhex(notes.split("Build ID:")[1].split()[0])
    new = bytes(byte ^ 0xFF for byte in old)
assert old in data
open(target, "wb").write(data.replace(old, new))
