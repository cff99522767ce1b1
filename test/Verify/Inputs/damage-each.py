"""Damages each part of the archive "a", and checks that `verify --check` reports it
with that part's name and with no other. Keeps the damaged archives."""

import re
import subprocess

path = "a"
bytes_of = open(path, "rb").read()
text = subprocess.run(["llvm-lidia", "dump", "--header", "--extension", path], check=True,
                      stdout=subprocess.PIPE, text=True).stdout
extension = bytes_of.index(b"LIDIAEXT", bytes_of.index(b"LIDIAEXT") + 8)
places = {}
for name, offset in re.findall(r"^  (\w+): offset 0x([0-9a-f]+)", text, re.MULTILINE):
    places[name] = int(offset, 16) + (extension if name.isupper() else 0)
assert {"vas", "ranges", "strings", "lines", "PRNT", "STMC"} <= set(places), places


def passes(name, file):
    return subprocess.run(["llvm-lidia", "verify", "--check=" + name, file],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


for name, place in places.items():
    # Damage to these parts would be an error when the archive is opened.
    if name in ("INFO", "IDEN", "VAIX"):
        continue
    damaged = bytearray(bytes_of)
    damaged[place + (9 if name.isupper() else 5)] ^= 1
    file = "bad-" + name
    open(file, "wb").write(damaged)
    for other in places:
        assert passes(other, file) == (other != name), (name, other)
    assert passes("extension", file) == name.islower(), name
