"""Writes a description of an archive whose names are made to be demangled badly:
hostile-names.py deep|wide."""

import sys

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def substitution(number):
    """How a name refers to its part NUMBER: S_, S0_, ..., SZ_, S10_, ..."""
    if number == 0:
        return "S_"
    number -= 1
    digits = ""
    while True:
        digits = DIGITS[number % 36] + digits
        number //= 36
        if not number:
            return "S" + digits + "_"


# Pointers to pointers to ... and, in a few hundred bytes, parts that each have
# the one before twice.
names = {"deep": "_Z1f" + "P" * 90000 + "i"}
wide = "_Z1f" + "1AIiE"  # A is part 0, A<int> part 1
for i in range(40):
    part = substitution(1 + i)
    wide += "S_I" + part + part + "E"
names["wide"] = wide

print("Ranges:")
print(f"  - {{Start: 0x1000, Length: 16, Function: '{names[sys.argv[1]]}'}}")
