"""Compares "llvm-lidia lookup" and "c++filt --format=dlang" on D names.

    compare-d-names.py NAMES FOLDER

NAMES has one name on each line. Prints the number of equal answers. Then looks up names
that are truncated or have too many back references, each of which must have an answer
of a size in proportion to the name's.
"""

import os
import subprocess
import sys

given, folder = sys.argv[1:]


def run(*command, text=None):
    return subprocess.run(command, input=text, check=True, text=True, timeout=60,
                          stdout=subprocess.PIPE).stdout


def answers(names, *options):
    """The output of a lookup for functions with these names."""
    path = os.path.join(folder, "names")
    ranges = "".join(f"  - {{Start: {16 * i}, Length: 16, Function: '{name}'}}\n"
                     for i, name in enumerate(names, 1))
    with open(path + ".yaml", "w", encoding="utf-8") as file:
        file.write("Ranges:\n" + ranges)
    run("yaml2lidia", path + ".yaml", "-o", path + ".lidia")
    addresses = "".join(f"{16 * i}\n" for i in range(1, len(names) + 1))
    found = run("llvm-lidia", "lookup", *options, path + ".lidia", text=addresses)
    return [answer.split("\n")[0] for answer in found.split("\n\n")[:-1]]


with open(given, encoding="utf-8") as file:
    names = file.read().split()
expected = run("c++filt", "--format=dlang", text="\n".join(names)).splitlines()
for name, ours, theirs in zip(names, answers(names), expected, strict=True):
    assert ours == theirs and ours != name, (name, ours, theirs)
print(len(names), "names")

broken = {name[:size] for name in names for size in range(2, len(name))}
broken |= {"_D1a" + "A" * 5000 + "i", "_D1aF" + "PF" * 2500 + "Zi", "_D1aFQaZi",
           "_D1aFQzzzzZi", "_D1aFAQbZi", "_D" + "1a" * 3000 + "Z",
           "_D1aFG99999999999999999999iZi", "_D99999999999999999999a", "_D1a__T", "_DQa",
           "_D" + "0" * 5000 + "1aFZi", "_D1aFG" + "0" * 40 + "1iZi", "_D1aFQ" + "A" * 5000 + "bZi",
           "_D" + "1aFS" * 2000 + "1aZi"}
# Each tuple contains the previous one twice.
broken.add("_D1aFB2iiB2QgQi" + "B2QiQk" * 60 + "Zi")
broken = sorted(broken)
for options in ([], ["--functions=short"]):
    for name, ours in zip(broken, answers(broken, *options), strict=True):
        assert len(ours) <= 64 * 1024 + 256 * len(name), name
print(len(broken), "broken names")
