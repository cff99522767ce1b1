#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extracts the ELF, PE and Mach-O files of the tests in a source archive.

Files keep their paths below the archive's top folder. Files that belong to a binary are
also extracted: packages (.dwp), split units (.dwo) and bundles (.dSYM) are ELF or
Mach-O files themselves.
"""

import argparse
import os
import tarfile

MAGIC = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf",
         b"\xfe\xed\xfa\xce", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("folder")
    options = parser.parse_args()
    count = 0
    with tarfile.open(options.archive, "r|*") as archive:
        for member in archive:
            parts = member.name.split("/")[1:]
            if not member.isreg() or "test" not in parts or ".." in parts:
                continue
            data = archive.extractfile(member).read()
            if not data.startswith(MAGIC):
                continue
            path = os.path.join(options.folder, *parts)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
            count += 1
    print(f"{count} files")


main()
