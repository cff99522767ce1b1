"""Disassembles code by the helper of the path in the first argument, and at most as many
instructions as the second says."""

import os
import subprocess
import sys

for name, machine, word, order, code in [
    ("x86-64", 62, 8, "little", "8b00ffff"),
    ("x86-64, a call", 62, 8, "little", "e810000000"),
    ("several", 62, 8, "little", "8b00e8100000009006"),
    ("x86-64 with 4-byte words", 62, 4, "little", "8b00"),
    ("i386", 3, 4, "little", "8b00"),
    ("AArch64", 183, 8, "little", "000040b9"),
    ("AArch64, big-endian data", 183, 8, "big", "000040b9"),
    ("RISC-V", 243, 8, "little", "0841"),
    ("PowerPC", 21, 8, "big", "80630000"),
    ("PowerPC, little-endian", 21, 8, "little", "00006380"),
    ("s390x", 22, 8, "big", "58202000"),
    ("ARM or Thumb", 40, 4, "little", "000090e5"),
    ("no instruction", 62, 8, "little", "06"),
    ("cut off", 62, 8, "little", "e810"),
    ("no machine", 9999, 8, "little", "00000000"),
]:
    found = subprocess.run([sys.argv[1], "--instructions", str(machine), str(word), order,
                            str(0x1000), code, sys.argv[2], str(os.getpid())], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode == 0 or not found.stdout, found
    print(name + ": " + (found.stdout.rstrip("\n").replace("\n", "; ") or "refused"))
