#!/usr/bin/env python3
"""Compiles a file for each machine of clang, and checks its functions.

    objects-of-targets.py SOURCE OBJECT

Each function is in a section of its own, so that its address is that of a relocation.
"""

import re
import subprocess
import sys

# Those that make no ELF file, or no object.
OTHERS = {"nvptx", "nvptx64", "r600", "wasm32", "wasm64", "xcore", "arm64_32", "aarch64_32"}
# The names that clang has for a machine, where they are others.
NAMES = {"ppc32": "powerpc", "ppc32le": "powerpcle", "systemz": "s390x", "x86": "i686",
         "x86-64": "x86_64"}


def compile_for(target, version, source, made):
    return subprocess.run(
        ["clang", "--target=" + NAMES.get(target, target) + "-unknown-elf", "-nogpulib",
         "-O1", "-g", f"-gdwarf-{version}", "-ffunction-sections", "-c", source, "-o", made],
        stderr=subprocess.PIPE, check=False, text=True)


def check(made):
    archive = made + ".lidia"
    result = subprocess.run(["llvm-lidia", "--lines", "--crc", made, "-o", archive],
                            stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode or result.stderr:
        return result.stderr
    ranges = subprocess.run(["llvm-lidia", "dump", "--ranges", archive],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    names = set(re.findall(r"depth (\d \w+) in ", ranges))
    if names != {"0 first", "1 inlined", "0 second"}:
        return ranges
    second, = re.findall(r"(0x[0-9a-f]+)\.\.\S+ depth 0 second", ranges)
    # Before the first line there may be instructions of the ABI.
    found = subprocess.run(
        ["llvm-lidia", "lookup", "-s", "-p", archive, second, hex(int(second, 16) + 8)],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    return "" if re.search(r"^second at targets\.c:(8|9|10):", found, re.MULTILINE) else found


def main():
    source, made = sys.argv[1:]
    printed = subprocess.run(["clang", "--print-targets"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout
    targets = re.findall(r"^    (\S+) +- ", printed, re.MULTILINE)
    count = wrong = 0
    for target in targets:
        if target in OTHERS:
            continue
        for version in 4, 5:
            result = compile_for(target, version, source, made)
            # Experimental machines can be printed, but have no compiler.
            if result.returncode:
                print(target, "is left out:", result.stderr.splitlines()[0])
                break
            if why := check(made):
                wrong += 1
                print(f"{target}, version {version}: wrong: {why}")
        else:
            count += 1
    print(f"{count} machines, {wrong} wrong")


main()
