"""Gives the first function of the description of an archive COUNT rows.

    many-rows.py COUNT DESCRIPTION > NEW-DESCRIPTION
"""

import sys

rows = ", ".join(f"{{Offset: {i}, Line: {i + 3}}}" for i in range(int(sys.argv[1])))
text = open(sys.argv[2], encoding="utf-8").read()
text = text.replace("Length: 0x20", "Length: 0x200")
print(text.replace("{Offset: 0, Line: 3}", rows), end="")
