"""Describes the ABI of the C interface, or compares it with a description.

usage: abi.py describe|compare HEADER LIBRARY DESCRIPTION FOLDER

The library itself has no debug information, and contains LLVM's types. So the functions
that the header declares are compiled in FOLDER, with debug information and empty
bodies. LIBRARY must export exactly these. After functions or members were added, use
describe to write DESCRIPTION again.
"""
import os
import re
import subprocess
import sys

command, header, library, description, folder = sys.argv[1:]
with open(header, encoding="utf-8") as file:
    declarations = re.findall(r"^LIDIA_API ([^;]*);", file.read(), re.MULTILINE)
source = os.path.join(folder, "stub.c")
stub = os.path.join(folder, "liblidia.so")
with open(source, "w", encoding="utf-8") as file:
    file.write(f'#include "{os.path.abspath(header)}"\n')
    for declaration in declarations:
        body = "{}" if declaration.startswith("void ") else "{ return 0; }"
        file.write(f"{declaration} {body}\n")
subprocess.run(["cc", "-g", "-fPIC", "-shared", "-Wl,-soname,liblidia.so.1",
                f"-ffile-prefix-map={os.path.abspath(folder)}=.", source, "-o",
                stub], check=True)


def exported(path):
    out = subprocess.run(["nm", "-D", "--defined-only", path], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in out.splitlines()}
    return names - {"LIDIA_1", "_init", "_fini"}


if exported(stub) != exported(library):
    sys.exit(f"the header and {library} differ in "
             f"{sorted(exported(stub) ^ exported(library))}")
if command == "describe":
    sys.exit(subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path",
                             "--no-show-locs", "--out-file", description,
                             stub]).returncode)
sys.exit(subprocess.run(["abidiff", "--no-show-locs", description, stub]).returncode)
